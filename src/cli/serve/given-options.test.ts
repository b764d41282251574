// What the flags of `orch serve` say, as options of the server.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { silentLog, StillClock, type Log } from '#base';
import { FLAGS } from '#server';
import type { ClientCertificate } from '#transport';
import { parseFlags, type FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';
import { readClusterOptions } from './cluster-flags.ts';
import { readGivenAggregation } from './given-aggregation.ts';
import { readGivenAudit } from './given-audit.ts';
import { readGivenAuthentication } from './given-authentication.ts';
import { readGivenAuthorization } from './given-authorization.ts';
import { readGivenServing } from './given-serving.ts';
import { readGivenStorage } from './given-storage.ts';
import { readShutdown } from './shutdown-flags.ts';
import { readGivenTls } from './given-tls.ts';
import { readLeaderElection } from './leader-election-flags.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'orch-given-'));
after(() => rmSync(folder, { recursive: true }));

/** A file with a text, by its path. */
const file = (name: string, text: string): string => {
  const at = path.join(folder, name);
  writeFileSync(at, text);
  return at;
};
const text = file('text', 'a text');
const key = path.resolve('test/fixtures/tls/client.key');
const pem = readFileSync(key, 'utf8');
const proxyAuthority = path.resolve('test/fixtures/tls/ca.crt');
const webhook = file('webhook', JSON.stringify({ 'current-context': 'c', contexts: [{ name: 'c', context: { cluster: 'a' } }], clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }] }));

type Reader = (flags: FlagValues) => unknown;
type Options = Readonly<Record<string, unknown>>;
const authentication: Reader = (flags) => readGivenAuthentication(flags, 'own key');
const accounts: Reader = async (flags) => (await readGivenAuthentication(flags, 'own key')).serviceAccounts;
const serving: Reader = (flags) => readGivenServing(flags).serving;
const metrics: Reader = (flags) => readGivenServing(flags).metrics;
const shutdown: Reader = (flags) => readShutdown(flags);
const services: Reader = async (flags) => (await readClusterOptions(flags)).services;
const nodes: Reader = async (flags) => (await readClusterOptions(flags)).nodes;
const doors: Reader = async (flags) => (await readClusterOptions(flags)).doors;
const auditLog: Reader = async (flags) => (await readGivenAudit(flags, {})).audit?.log;
const audit: Reader = async (flags) => (await readGivenAudit(flags, {})).audit;

/** What an option becomes; `undefined`: it is not there. Other members may say what they like. */
const rows: readonly (readonly [reader: Reader, args: string, options: Options])[] = [
  [readGivenStorage, '', { storageFormat: undefined }],
  [readGivenStorage, '--storage-media-type=application/json', { storageFormat: 'json' }],
  [readGivenStorage, '--storage-media-type=application/vnd.kubernetes.protobuf', { storageFormat: 'protobuf' }],
  [readGivenStorage, '--storage-media-type=application/vnd.orch.protobuf', { storageFormat: 'protobuf' }],

  [shutdown, '', { shutdownDelayMs: 0, shutdownGraceMs: 10_000 }],
  [shutdown, '--shutdown-delay-duration=1m30s --shutdown-grace-seconds=7', { shutdownDelayMs: 90_000, shutdownGraceMs: 7_000 }],

  [services, '', { clusterIps: undefined, nodePorts: [30_000, 32_767], advertiseAddress: undefined, externalHost: undefined }],
  [services, '--service-cluster-ip-range=10.1.0.0/16,fd00::/108 --advertise-address=192.0.2.1 --external-hostname=a', { clusterIps: ['10.1.0.0/16', 'fd00::/108'], advertiseAddress: '192.0.2.1', externalHost: 'a' }],
  [services, '--service-node-port-range=1-65535', { nodePorts: [1, 65_535] }],
  [services, '--service-node-port-range=9-9', { nodePorts: [9, 9] }],
  [services, '--service-node-port-range=30000+100', { nodePorts: [30_000, 30_100] }],
  [nodes, '', { authority: undefined, clientCertificate: undefined, mayProxyToLocal: false }],
  [nodes, `--kubelet-certificate-authority=${text} --kubelet-client-certificate=${text} --kubelet-client-key=${text} --allow-proxy-to-local-addresses`, { authority: 'a text', mayProxyToLocal: true }],
  [nodes, '--kubelet-preferred-address-types=InternalIP', { addressTypes: ['InternalIP'] }],
  [doors, '', { serviceExternalIPs: undefined, foreignEndpoints: undefined, webhookAnswersInLogs: false }],
  [doors, '--allow-service-external-ips=false --allow-endpoints-across-namespaces --log-webhook-answers', { serviceExternalIPs: false, foreignEndpoints: true, webhookAnswersInLogs: true }],

  [accounts, '', { signingKey: 'own key', secretSigningKey: undefined, verifyingKeys: [], maxExpirationSeconds: undefined, jwksUri: undefined, isLookedUp: true, extendsExpiration: true }],
  [accounts, `--service-account-signing-key-file=${key} --service-account-key-file=${text} --service-account-private-key-file=${key}`, { signingKey: pem, verifyingKeys: ['a text'], secretSigningKey: pem }],
  [accounts, '--service-account-max-token-expiration=1h --service-account-jwks-uri=https://a/keys', { maxExpirationSeconds: 3_600, jwksUri: 'https://a/keys' }],
  [accounts, '--service-account-max-token-expiration=4294967296s', { maxExpirationSeconds: 4_294_967_296 }],
  [accounts, '--service-account-issuer=https://a --service-account-issuer=https://b --service-account-lookup=false --service-account-extend-token-expiration=false', { issuers: ['https://a', 'https://b'], isLookedUp: false, extendsExpiration: false }],
  [authentication, '', { apiAudiences: undefined, requestHeader: undefined, oidc: undefined, tokenWebhook: undefined, bootstrapTokens: false }],
  [authentication, '--api-audiences=a,b --enable-bootstrap-token-auth', { apiAudiences: ['a', 'b'], bootstrapTokens: true }],
  [
    authentication,
    '--oidc-issuer-url=https://a --oidc-client-id=c --oidc-required-claim=a=b=c --oidc-required-claim=d=e,f=g,h --oidc-groups-claim=g --oidc-signing-algs=ES256',
    { oidc: { issuerUrl: 'https://a', clientId: 'c', requiredClaims: { a: 'b=c', d: 'e,f=g,h' }, usernameClaim: 'sub', groupsClaim: 'g', signingAlgorithms: ['ES256'] } },
  ],

  [readGivenAuthorization, '--authorization-mode=Node,RBAC', { modes: ['Node', 'RBAC'], policy: undefined, webhook: undefined }],
  [readGivenAuthorization, `--authorization-mode=ABAC --authorization-policy-file=${text}`, { modes: ['ABAC'], policy: 'a text' }],

  [serving, '--request-timeout=30s --event-ttl=1500ms --min-request-timeout=7', { requestTimeoutMs: 30_000, eventTtlSeconds: 2, minWatchSeconds: 7, maxStreams: undefined }],
  [serving, '', { goawayChance: undefined }],
  [serving, '--goaway-chance=0.001', { goawayChance: 0.001 }],
  [serving, '--http2-max-streams-per-connection=9 --delete-collection-workers=3', { maxStreams: 9, deletionWorkers: 3 }],
  [metrics, '', { disabled: [], allowedLabels: new Map(), hiddenSince: undefined }],
  [metrics, "--disabled-metrics=a,b --allow-metric-labels=m,l='x,y' --show-hidden-metrics-for-version=1.22", { disabled: ['a', 'b'], allowedLabels: new Map([['m,l', ['x', 'y']]]), hiddenSince: '1.22' }],

  [readLeaderElection, '', { leaderElection: undefined, leaderElectionLease: {}, leaderElectionTimes: { leaseMs: 15_000, renewMs: 10_000, retryMs: 2_000 } }],
  [readLeaderElection, '--leader-elect=false --leader-elect-resource-name=a --leader-elect-retry-period=1s', { leaderElection: false, leaderElectionLease: { name: 'a' }, leaderElectionTimes: { leaseMs: 15_000, renewMs: 10_000, retryMs: 1_000 } }],

  [
    auditLog,
    `--audit-policy-file=${text} --audit-log-path=- --audit-log-maxsize=2 --audit-log-maxage=3 --audit-log-maxbackup=4 --audit-log-compress`,
    { path: '-', format: 'json', maxBytes: 2 * 1_048_576, maxAgeMs: 3 * 86_400_000, maxBackups: 4, compress: true, mode: 'blocking', truncate: undefined },
  ],
  [
    auditLog,
    `--audit-policy-file=${text} --audit-log-path=- --audit-log-format=legacy --audit-log-mode=batch --audit-log-batch-max-size=5 --audit-log-truncate-enabled --audit-log-truncate-max-event-size=6`,
    { format: 'legacy', mode: 'batch', batch: { bufferSize: 10_000, maxSize: 5, maxWaitMs: 0 }, truncate: { maxEventBytes: 6, maxBatchBytes: 10_485_760 } },
  ],
  [
    auditLog,
    `--audit-policy-file=${text} --audit-log-path=- --audit-log-batch-throttle-enable --audit-log-batch-throttle-qps=1 --audit-log-batch-throttle-burst=1`,
    { batch: { bufferSize: 10_000, maxSize: 1, maxWaitMs: 0, throttle: { perSecond: 1, burst: 1 } } },
  ],
];

const mistakes: readonly (readonly [reader: Reader, args: string, message: RegExp])[] = [
  [readGivenStorage, '--storage-media-type=application/yaml', /^--storage-media-type is one of application\/json, .*, not "application\/yaml"/],
  ...['9', '9-8', '0-9', '9-65536', '65535+1', '-9'].map((range) => [services, `--service-node-port-range=${range}`, /^--service-node-port-range: ".*" is not a range of ports/] as const),
  [nodes, `--kubelet-client-key=${text}`, /^--kubelet-client-certificate and --kubelet-client-key belong together/],
  [accounts, '--service-account-max-token-expiration=3599s', /^--service-account-max-token-expiration must be between/],
  [accounts, '--service-account-max-token-expiration=4294967297s', /^--service-account-max-token-expiration must be between/],
  [accounts, '--service-account-jwks-uri=http://a/keys', /^--service-account-jwks-uri: http:\/\/a\/keys is no https address/],
  ...['signing', 'private'].map((use) => [accounts, `--service-account-${use}-key-file=${text}`, new RegExp(`^--service-account-${use}-key-file: ${text} holds no PEM private key$`)] as const),
  [accounts, `--service-account-key-file=${text}`, /^--service-account-key-file is given without --service-account-signing-key-file/],
  [authentication, '--requestheader-username-headers=X-User', /^--requestheader-username-headers is given without --requestheader-client-ca-file/],
  [authentication, `--requestheader-client-ca-file=${text}`, /^--requestheader-client-ca-file: .* holds no PEM certificates/],
  ...['username-headers', 'allowed-names', 'group-headers', 'extra-headers-prefix'].flatMap((list) =>
    [',', 'a,'].map((names) => [authentication, `--requestheader-client-ca-file=${proxyAuthority} --requestheader-username-headers=X-User --requestheader-${list}=${names}`, new RegExp(`^--requestheader-${list}: a name must not be empty$`)] as const),
  ),
  [authentication, '--oidc-client-id=c', /^--oidc-issuer-url and --oidc-client-id belong together/],
  [authentication, '--oidc-issuer-url=https://a', /^--oidc-issuer-url and --oidc-client-id belong together/],
  [authentication, '--oidc-issuer-url=https://a --oidc-client-id=c --oidc-required-claim==a', /^--oidc-required-claim is key=value, not "=a"/],
  [authentication, `--oidc-issuer-url=https://a --oidc-client-id=c --oidc-ca-file=${text}`, /^--oidc-ca-file: .* holds no PEM certificates/],
  [authentication, `--authentication-token-webhook-config-file=${text}`, /^--authentication-token-webhook-config-file: /],
  [readGivenAuthorization, `--authorization-webhook-config-file=${text}`, /^--authorization-webhook-config-file: /],
  [serving, '--request-timeout=0s', /^--request-timeout is a duration above 0s/],
  ...['0.03', '-1', 'often'].map((chance) => [serving, `--goaway-chance=${chance}`, /^--goaway-chance is a number from 0 to 0\.02, not /] as const),
  [metrics, '--show-hidden-metrics-for-version=1.21', /^--show-hidden-metrics-for-version is the release before this one, 1\.22/],
  [metrics, '--allow-metric-labels=m', /^--allow-metric-labels: "m" is not written/],
  [audit, `--audit-policy-file=${text}`, /^--audit-policy-file needs --audit-log-path or --audit-webhook-config-file/],
  ...['log-path', 'webhook-config-file'].map((place) => [audit, `--audit-${place}=${text}`, new RegExp(`^--audit-${place} needs --audit-policy-file: `)] as const),
  [audit, `--audit-policy-file=${text} --audit-log-path=- --audit-log-truncate-enabled --audit-log-truncate-max-event-size=2 --audit-log-truncate-max-batch-size=1`, /^--audit-log-truncate-max-batch-size is 1, and must not be below --audit-log-truncate-max-event-size, which is 2/],
  [audit, '--audit-log-version=audit.k8s.io/v1beta1', /^--audit-log-version: events are written as /],
  [audit, `--audit-policy-file=${text} --audit-log-path=- --audit-log-batch-throttle-enable --audit-log-batch-throttle-qps=0`, /^--audit-log-batch-throttle-enable needs --audit-log-batch-throttle-qps above 0/],
];

const fixture = (name: string): string => readFileSync(`test/fixtures/tls/${name}`, 'utf8');

/** Certificates that the server shows to others. */
const pairs: readonly (readonly [certFlag: string, keyFlag: string, read: (flags: FlagValues, log?: Log) => Promise<ClientCertificate | undefined>])[] = [
  ['proxy-client-cert-file', 'proxy-client-key-file', async (flags, log) => (await readGivenAggregation(flags, log)).proxyCertificate],
  ['kubelet-client-certificate', 'kubelet-client-key', async (flags, log) => (await readClusterOptions(flags, log)).nodes?.clientCertificate],
];

const flagsOf = (args: string): FlagValues => parseFlags(args.split(' ').filter((one) => one !== ''), FLAGS).flags;
const titleOf = (args: string): string => (args === '' ? 'no flag' : args.replaceAll(folder, '…'));

describe('flags of orch serve become options', () => {
  for (const [reader, args, options] of rows) {
    test(titleOf(args), async () => {
      const read = (await reader(flagsOf(args))) as Options;
      assert.deepEqual(Object.fromEntries(Object.keys(options).map((name) => [name, read[name]])), options);
    });
  }

  test('those of webhooks are read from their files', async () => {
    const { tokenWebhook } = await readGivenAuthentication(flagsOf(`--authentication-token-webhook-config-file=${webhook} --authentication-token-webhook-version=v1 --authentication-token-webhook-cache-ttl=3s`), '');
    assert.deepEqual([tokenWebhook?.version, tokenWebhook?.cacheTtlMs], ['v1', 3_000]);
    const { webhook: asked } = await readGivenAuthorization(flagsOf(`--authorization-webhook-config-file=${webhook} --authorization-webhook-cache-authorized-ttl=4s`));
    assert.deepEqual([asked?.version, asked?.authorizedTtlMs, asked?.unauthorizedTtlMs], ['v1beta1', 4_000, 30_000]);
  });

  for (const [certFlag, keyFlag, read] of pairs) {
    test(`the files of --${certFlag} are read again: what is exchanged is shown, once it fits`, async () => {
      const [cert, key] = [file('pair.crt', fixture('client.crt')), file('pair.key', fixture('client.key'))];
      const said: unknown[] = [];
      const shown = await read(flagsOf(`--${certFlag}=${cert} --${keyFlag}=${key}`), { ...silentLog, error: (message, fields) => void said.push(`${message}: ${String(fields?.['why'])}`) });
      assert.deepEqual([shown?.cert, shown?.key], [fixture('client.crt'), fixture('client.key')]);
      file('pair.crt', fixture('server.crt'));
      assert.deepEqual((await shown?.current?.())?.cert, fixture('client.crt'), 'half of it is there');
      assert.match(String(said), new RegExp(`^the new certificate cannot be used, the old one stays: --${certFlag}, --${keyFlag}: ${cert} and ${key} are not a PEM certificate and its key: `));
      const again = await read(flagsOf(`--${certFlag}=${file('other.crt', fixture('client.crt'))} --${keyFlag}=${file('other.key', fixture('client.key'))}`));
      file('other.crt', fixture('server.crt'));
      file('other.key', fixture('server.key'));
      assert.deepEqual(await again?.current?.(), { cert: fixture('server.crt'), key: fixture('server.key') });
    });
  }

  test('certificates are read again whatever became of files that were read once, and half an authority is none', async () => {
    const identity = { authority: { cert: fixture('ca.crt'), key: '' }, serving: { cert: fixture('server.crt'), key: fixture('server.key') }, servingAt: async () => ({ cert: fixture('server.crt'), key: fixture('server.key') }), adminToken: '', tokenKey: '' };
    const tokens = file('tokens.csv', 'a,b,c');
    const proxies = file('proxies.crt', fixture('ca.crt'));
    const { read } = await readGivenTls(flagsOf(`--token-auth-file=${tokens} --requestheader-client-ca-file=${proxies}`), identity, new StillClock());
    rmSync(tokens);
    assert.equal((await read?.())?.proxyCa, fixture('ca.crt'));
    for (const half of ['', fixture('ca.crt').slice(0, 300)]) {
      file('proxies.crt', half);
      await assert.rejects(async () => read?.(), /--requestheader-client-ca-file: .* holds no PEM certificates/);
    }
  });

  test('the certificate that a server made for itself is the one of the time, and a given one is not asked of it', async () => {
    const pair = (text: string) => ({ cert: fixture(`${text}.crt`), key: fixture(`${text}.key`) });
    const clock = new StillClock();
    const startMs = clock.nowMs();
    const servingAt = async (nowMs: number) => pair(nowMs === startMs ? 'server' : 'client');
    const identity = { authority: { cert: fixture('ca.crt'), key: '' }, serving: pair('server'), servingAt, adminToken: '', tokenKey: '' };
    const { cert, read } = await readGivenTls(flagsOf(''), identity, clock);
    const given = await readGivenTls(flagsOf(`--tls-cert-file=${file('own.crt', fixture('server.crt'))} --tls-private-key-file=${file('own.key', fixture('server.key'))}`), identity, clock);
    clock.turn(1_000);
    assert.deepEqual([cert, (await read?.())?.cert, (await given.read?.())?.cert], [pair('server').cert, pair('client').cert, pair('server').cert]);
  });

  test('a key of another kind than the certificate is not its key: neither at the start, nor while one file of two is replaced', async () => {
    const identity = { authority: { cert: fixture('ca.crt'), key: '' }, serving: { cert: '', key: '' }, servingAt: async () => ({ cert: '', key: '' }), adminToken: '', tokenKey: '' };
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const flags = flagsOf(`--tls-cert-file=${file('kind.crt', fixture('server.crt'))} --tls-private-key-file=${file('kind.key', fixture('server.key'))}`);
    const { read } = await readGivenTls(flags, identity, new StillClock());
    file('kind.key', rsa);
    const wrong = /--tls-private-key-file: .*kind\.crt and .*kind\.key are not a PEM certificate and its key: the key is not that of the first certificate/;
    await assert.rejects(async () => read?.(), wrong);
    await assert.rejects(readGivenTls(flags, identity, new StillClock()), wrong);
    const named = flagsOf(`--tls-sni-cert-key=${path.join(folder, 'kind.crt')},${path.join(folder, 'kind.key')}:localhost`);
    await assert.rejects(readGivenTls(named, identity, new StillClock()), /--tls-sni-cert-key: .* the key is not that of the first certificate/);
  });

  for (const [reader, args, message] of mistakes) {
    test(`${titleOf(args)} is refused`, async () => {
      await assert.rejects(async () => reader(flagsOf(args)), (thrown) => thrown instanceof UsageError && message.test(thrown.message));
    });
  }
});
