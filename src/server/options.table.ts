import { ALL_VERBS, checkDns1035Label, checkDnsSubdomain, DIALECTS, type Column, type KindDefinition, type Subresource, type Version } from '#api';
import { BANDS, type AdmissionObserver, type AdmissionPlugin } from '#admission';
import type { Sink } from '#audit';
import type { Authenticator, Authorizer } from '#request';
import type { Clock, Log } from '#base';
import type { ClientCertificate, Connection } from '#transport';
import { FEATURES } from './features.table.ts';
import {
  amount,
  anything,
  asFlag,
  choice,
  falseOr,
  group,
  having,
  listOf,
  mapOf,
  milliseconds,
  option,
  pairOf,
  recordOf,
  required,
  run,
  seconds,
  someMilliseconds,
  text,
  whole,
  withMembers,
  word,
  yesOrNo,
  type OptionCheck,
} from './option-checks.ts';
import type { AuditLogSettings, AuditSinkSettings, AuditWebhookSettings, DeliverySettings } from './audit/options.ts';
import type { CertificatePair } from './certificates/certificates.ts';
import type { TlsOptions } from './certificates/tls-options.ts';
import type { ServerOptions } from './options.ts';
import { MAX_GOAWAY_CHANCE } from './serving-options.ts';

type Given<K extends keyof ServerOptions> = Exclude<NonNullable<ServerOptions[K]>, false>;

const texts = listOf(text);
const pair = group<CertificatePair>({ cert: required(text), key: required(text) });
const renewedPair = group<ClientCertificate>({ cert: required(text), key: required(text), current: run() });
const connection = group<Connection>({
  server: required(text),
  authority: text,
  serverName: text,
  isVerified: required(yesOrNo),
  clientCertificate: renewedPair,
  token: run(),
  namespace: required(text),
});
const webhookVersion = choice(['v1', 'v1beta1']);

const plugin = withMembers<AdmissionPlugin>('a plugin as definePlugin returns it', {
  name: required(text),
  enabled: required(yesOrNo),
  band: required(choice(BANDS)),
  after: texts,
  create: required(run()),
});
const fitting = (takes: string, faultsOf: (value: string) => unknown): OptionCheck<string> => option(takes, (value) => typeof value === 'string' && faultsOf(value) === undefined);
const verbs = listOf(choice(ALL_VERBS));
const absent = <T>(why: string): OptionCheck<T> => option(`absent, because ${why}`, () => false);
// As definitions of custom resources: what stands in a path is lower case there.
const kind = withMembers<KindDefinition>('a kind as defineKind returns it', {
  group: required(fitting('the name of an API group, in lower case', (value) => (value === '' ? undefined : checkDnsSubdomain(value)))),
  kind: required(fitting('the name of a kind, letters, digits and dashes', (value) => checkDns1035Label(value.toLowerCase()))),
  plural: required(fitting('the plural of a kind, in lower case', checkDns1035Label)),
  scope: required(choice(['Namespaced', 'Cluster'])),
  versions: required(recordOf(withMembers<Version>('a version with its schema', { schema: required(run()) }))),
  storage: required(text),
  allocating: absent('all addresses and ports of the cluster belong to services'),
  verbs,
  subresources: recordOf(withMembers<Subresource>('a part with its verbs', { verbs: required(verbs) })),
  columns: listOf(withMembers<Column>('a column with its name and cell', { name: required(text), type: required(choice(['string', 'integer', 'number', 'boolean', 'date'])), cell: required(run()) })),
});

const LISTEN = { host: text, port: asFlag('secure-port') };

const DELIVERY = {
  mode: choice(['batch', 'blocking', 'blocking-strict']),
  batch: group<NonNullable<DeliverySettings['batch']>>({
    bufferSize: required(asFlag('audit-log-batch-buffer-size')),
    maxSize: required(asFlag('audit-log-batch-max-size')),
    maxWaitMs: required(milliseconds),
    throttle: group({ perSecond: required(amount), burst: required(amount) }),
  }),
  truncate: group({ maxEventBytes: required(whole({ min: 1 })), maxBatchBytes: required(whole({ min: 1 })) }),
};

/** What each option of a server takes. What is more than a form is checked where the option is used. */
export const OPTIONS: OptionCheck<ServerOptions> = group<ServerOptions>({
  dialect: choice(DIALECTS),
  store: text,
  listen: falseOr(
    group<Given<'listen'>>({
      ...LISTEN,
      tls: group<NonNullable<Given<'listen'>['tls']>>({
        cert: required(text),
        key: required(text),
        clientCa: text,
        sniCertificates: listOf(group<NonNullable<TlsOptions['sniCertificates']>[number]>({ cert: required(text), key: required(text), names: texts })),
        minVersion: text,
        cipherSuites: texts,
        read: run(),
      }),
    }),
  ),
  insecureListen: group<Given<'insecureListen'>>({ port: asFlag('insecure-port') }),
  tokens: text,
  anonymous: yesOrNo,
  authentication: group<Given<'authentication'>>({
    apiAudiences: texts,
    serviceAccounts: group<NonNullable<Given<'authentication'>['serviceAccounts']>>({
      issuers: texts,
      signingKey: text,
      secretSigningKey: text,
      verifyingKeys: texts,
      isLookedUp: yesOrNo,
      maxExpirationSeconds: seconds,
      extendsExpiration: yesOrNo,
      jwksUri: text,
    }),
    bootstrapTokens: yesOrNo,
    requestHeader: group<NonNullable<Given<'authentication'>['requestHeader']>>({
      clientCa: required(text),
      allowedNames: texts,
      usernameHeaders: required(texts),
      groupHeaders: texts,
      extraHeadersPrefixes: texts,
    }),
    oidc: group<NonNullable<Given<'authentication'>['oidc']>>({
      issuerUrl: required(text),
      clientId: required(text),
      authority: text,
      usernameClaim: text,
      usernamePrefix: text,
      groupsClaim: text,
      groupsPrefix: text,
      requiredClaims: recordOf(text),
      signingAlgorithms: texts,
    }),
    tokenWebhook: group<NonNullable<Given<'authentication'>['tokenWebhook']>>({ connection: required(connection), version: webhookVersion, cacheTtlMs: milliseconds }),
    authenticators: listOf(having<Authenticator>('an authenticator', 'authenticate')),
  }),
  authorization: group<Given<'authorization'>>({
    modes: listOf(word()),
    policy: text,
    webhook: group<NonNullable<Given<'authorization'>['webhook']>>({ connection: required(connection), version: webhookVersion, authorizedTtlMs: milliseconds, unauthorizedTtlMs: milliseconds }),
    authorizers: listOf(having<Authorizer>('an authorizer', 'authorize')),
  }),
  aggregation: group<Given<'aggregation'>>({ proxyCertificate: renewedPair }),
  admission: group<Given<'admission'>>({
    enable: texts,
    disable: texts,
    plugins: listOf(plugin),
    config: recordOf(anything),
    observer: having<AdmissionObserver>('an observer', 'plugin', 'step', 'webhook', 'webhookRejected', 'webhookFailedOpen'),
  }),
  audit: group<Given<'audit'>>({
    policy: required(text),
    log: group<AuditLogSettings>({ ...DELIVERY, path: required(text), format: choice(['json', 'legacy']), maxBytes: amount, maxAgeMs: milliseconds, maxBackups: whole(), compress: yesOrNo }),
    webhook: group<AuditWebhookSettings>({ ...DELIVERY, configFile: required(text), firstDelayMs: milliseconds }),
    sinks: listOf(group<AuditSinkSettings>({ ...DELIVERY, sink: required(having<Sink>('a sink', 'deliver', 'close')) })),
  }),
  controllers: text,
  aggregateRoles: yesOrNo,
  rootCa: text,
  certificateSigning: group<Given<'certificateSigning'>>({
    authority: pair,
    bySigner: group<NonNullable<Given<'certificateSigning'>['bySigner']>>({ clientSigner: pair, nodeClientSigner: pair, nodeServingSigner: pair, legacySigner: pair }),
    longestMs: milliseconds,
  }),
  nodes: group<Given<'nodes'>>({ isVerified: yesOrNo, authority: text, clientCertificate: renewedPair, addressTypes: texts, mayProxyToLocal: yesOrNo }),
  kinds: listOf(kind),
  runtimeConfig: text,
  features: mapOf(
    yesOrNo,
    FEATURES.map(({ name }) => name),
  ),
  doors: group<Given<'doors'>>({ serviceExternalIPs: yesOrNo, foreignEndpoints: yesOrNo, privilegedContainers: yesOrNo, webhookAnswersInLogs: yesOrNo }),
  serving: group<Given<'serving'>>({
    requestTimeoutMs: someMilliseconds,
    minWatchSeconds: amount,
    maxStreams: asFlag('http2-max-streams-per-connection'),
    goawayChance: option<number>(`a number from 0 to ${MAX_GOAWAY_CHANCE}`, (value) => typeof value === 'number' && value >= 0 && value <= MAX_GOAWAY_CHANCE),
    eventTtlSeconds: seconds,
    deletionWorkers: asFlag('delete-collection-workers'),
    corsOrigins: texts,
    strictTransport: texts,
  }),
  metrics: group<Given<'metrics'>>({ disabled: texts, allowedLabels: mapOf(texts), hiddenSince: text }),
  services: group<Given<'services'>>({ clusterIps: texts, nodePorts: pairOf(amount), advertiseAddress: text, externalHost: text }),
  isStoreShared: yesOrNo,
  leaderElection: yesOrNo,
  leaderElectionLease: group<Given<'leaderElectionLease'>>({ name: text, namespace: text }),
  leaderElectionTimes: group<Given<'leaderElectionTimes'>>({ leaseMs: milliseconds, renewMs: milliseconds, retryMs: milliseconds }),
  historySeconds: seconds,
  encryption: text,
  storageFormat: choice(['json', 'protobuf']),
  flowControl: group<Given<'flowControl'>>({ isFair: yesOrNo, maxReading: asFlag('max-requests-inflight'), maxChanging: asFlag('max-mutating-requests-inflight') }),
  livezGraceMs: milliseconds,
  shutdownDelayMs: milliseconds,
  shutdownGraceMs: milliseconds,
  tracing: group<Given<'tracing'>>({ endpoint: required(text), samplingRatePerMillion: required(whole({ max: 1_000_000 })) }),
  clock: having<Clock>('a clock', 'nowMs', 'after'),
  log: having<Log>('a log', 'info', 'warn', 'error'),
});
