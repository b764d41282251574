// The audit log: which events a policy asks for, what is in them, and where they go.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { definePlugin } from '#admission';
import { brandOf, DIALECTS, type Dialect } from '#api';
import type { AuditMode } from '#server';
import { startTestServer, TEST_TOKENS, TurnedClock, type TestServer, type TestServerOptions } from '#testing';
import { AggregatedServer } from '../support/aggregated-server.ts';

interface AuditEvent {
  readonly apiVersion: string;
  readonly level: string;
  readonly auditID: string;
  readonly stage: string;
  readonly requestURI: string;
  readonly verb: string;
  readonly user: { readonly username?: string; readonly groups?: readonly string[] };
  readonly impersonatedUser?: { readonly username?: string };
  readonly sourceIPs?: readonly string[];
  readonly userAgent?: string;
  readonly objectRef?: Readonly<Record<string, string>>;
  readonly responseStatus?: { readonly code: number; readonly reason?: string; readonly message?: string; readonly status?: string };
  readonly requestObject?: { readonly kind?: string; readonly data?: object; readonly metadata?: { readonly managedFields?: unknown } };
  readonly responseObject?: { readonly kind?: string; readonly metadata?: { readonly managedFields?: unknown; readonly uid?: string }; readonly items?: readonly unknown[] };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

const folder = mkdtempSync(path.join(tmpdir(), 'orch-audit-'));
after(() => rmSync(folder, { recursive: true }));
let files = 0;

type Audit = NonNullable<TestServerOptions['audit']>;
const policyOf = (dialect: Dialect, body: object): string => JSON.stringify({ apiVersion: `${brandOf(dialect).group('audit')}/v1`, kind: 'Policy', ...body });

interface Audited {
  readonly server: TestServer;
  readonly file: string;
  /** The events about one path so far. */
  events(about: string): readonly AuditEvent[];
}

async function audited(dialect: Dialect, policy: object, more: Partial<NonNullable<Audit['log']>> = {}, options: TestServerOptions = {}): Promise<Audited> {
  const file = path.join(folder, `audit-${files++}.log`);
  const server = await startTestServer({ dialect, controllers: 'none', aggregateRoles: false, ...options, audit: { policy: policyOf(dialect, policy), log: { path: file, ...more } } });
  const events = (about: string): readonly AuditEvent[] =>
    readFileSync(file, 'utf8').split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as AuditEvent).filter(({ requestURI }) => requestURI.startsWith(about));
  return { server, file, events };
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';
const map = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'content' } });

for (const dialect of DIALECTS) {
  describe(dialect, () => {
    const brand = brandOf(dialect);

    test('R6-14 each level keeps what it says and nothing beyond', async () => {
      const { server, events } = await audited(dialect, {
        rules: [
          { level: 'None', verbs: ['list'] },
          { level: 'Metadata', resources: [{ resources: ['secrets'] }] },
          { level: 'Request', verbs: ['create'], resources: [{ group: '', resources: ['configmaps'] }] },
          { level: 'RequestResponse', resources: [{ group: '', resources: ['configmaps'] }] },
        ],
      });
      await server.request('POST', SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { key: 'hush-hush' } }, { 'x-forwarded-for': '192.0.2.7, nonsense' });
      await server.request('POST', MAPS, map('m'));
      await server.patch('merge', `${MAPS}/m`, { data: { b: 'more' } });
      await server.request('GET', MAPS);
      await server.request('GET', '/version');

      const [received, complete, ...others] = events(SECRETS);
      assert.deepEqual(others, []);
      assert.ok(received && complete);
      assert.deepEqual([received.stage, complete.stage], ['RequestReceived', 'ResponseComplete']);
      assert.equal(complete.apiVersion, `${brand.group('audit')}/v1`);
      assert.equal(received.auditID, complete.auditID);
      assert.deepEqual(complete.user, { username: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] });
      assert.deepEqual(complete.sourceIPs, ['192.0.2.7']);
      assert.equal(complete.userAgent, 'orch-test');
      assert.deepEqual(received.objectRef, { resource: 'secrets', namespace: 'default', apiVersion: 'v1' });
      assert.deepEqual(complete.objectRef, { resource: 'secrets', namespace: 'default', name: 's', apiVersion: 'v1' });
      assert.equal(complete.requestObject, undefined);
      assert.deepEqual(complete.responseStatus, { metadata: {}, code: 201 });
      assert.match(complete.stageTimestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      assert.equal(complete.annotations?.[`${brand.group('authorization')}/decision`], 'allow');
      assert.equal(complete.annotations?.[`${brand.group('authorization')}/reason`], '');
      assert.doesNotMatch(JSON.stringify(events('/')), /hush-hush|admintoken/);

      const [, made, , patched, ...rest] = events(MAPS);
      assert.deepEqual(rest, []);
      assert.equal(made?.level, 'Request');
      assert.deepEqual(made?.requestObject?.data, { a: 'content' });
      assert.equal(made?.objectRef?.['name'], 'm');
      assert.equal(made?.responseObject, undefined);
      assert.deepEqual(patched?.requestObject, { data: { b: 'more' } });
      assert.equal(patched?.responseObject?.kind, 'ConfigMap');
      assert.ok(patched?.responseObject?.metadata?.managedFields);
      assert.deepEqual(events('/version'), []);
      await server.close();
    });

    test('R6-14 which object a write is about is told at every level: by what was sent where the path leaves it open', async () => {
      const { server, events } = await audited(dialect, { omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] });
      const { body } = await server.request('POST', MAPS, map('m'));
      const { uid, resourceVersion } = body.metadata;
      await server.request('PUT', `${MAPS}/m`, { ...body, data: { a: 'other' } });
      await server.patch('merge', `${MAPS}/m`, { metadata: { uid }, data: { b: 'more' } });
      await server.request('DELETE', `${MAPS}/m`, { preconditions: { uid } });
      await server.request('POST', MAPS, { ...map('m'), metadata: { generateName: 'm-' } });
      const inPath = { resource: 'configmaps', namespace: 'default', apiVersion: 'v1' };
      assert.deepEqual(events(MAPS).map(({ verb, objectRef }) => [verb, objectRef]), [
        ['create', { ...inPath, name: 'm' }],
        ['update', { ...inPath, name: 'm', uid, resourceVersion }],
        ['patch', { ...inPath, name: 'm' }],
        ['delete', { ...inPath, name: 'm' }],
        ['create', inPath],
      ]);
      assert.doesNotMatch(JSON.stringify(events('/')), /content/);
      await server.close();
    });

    test('R6-14 an event shows the query as it came, also what of it counts for nothing', async () => {
      const { server, events } = await audited(dialect, { omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] });
      const line = `${MAPS}?limit=1&a=b;c&d=%&e=f%20g`;
      assert.equal((await server.request('GET', line)).status, 200);
      assert.deepEqual(events(MAPS).map(({ requestURI }) => requestURI), [line]);
      await server.close();
    });

    test('R6-13 RX-25 a deprecated endpoint is marked in the event', async () => {
      const { server, events } = await audited(dialect, { omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] });
      await server.request('GET', `/apis/policy/v1beta1/poddisruptionbudgets`);
      await server.request('GET', `/apis/policy/v1/poddisruptionbudgets`);
      const [old] = events('/apis/policy/v1beta1');
      assert.equal(old?.annotations?.[brand.names.deprecatedAnnotation], 'true');
      assert.equal(old?.annotations?.[brand.names.removedReleaseAnnotation], '1.25');
      const [now] = events('/apis/policy/v1/');
      assert.equal(now?.annotations?.[brand.names.deprecatedAnnotation], undefined);
      await server.close();
    });

    test('refusals, unknown callers and impersonation', async () => {
      const { server, events } = await audited(dialect, { omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] });
      await server.request('GET', `${SECRETS}/a`, undefined, { authorization: `Bearer ${TEST_TOKENS.bob}` });
      await server.request('GET', `${SECRETS}/b`, undefined, { authorization: 'Bearer wrong-one' });
      await server.request('GET', `${SECRETS}/c`, undefined, { 'impersonate-user': 'alice' });
      await server.request('GET', '/metrics', undefined, { authorization: `Bearer ${TEST_TOKENS.bob}` });
      const [refused, unknown, borrowed] = events(SECRETS);
      const [kept] = events('/metrics');
      assert.deepEqual([kept?.responseStatus?.code, kept?.responseStatus?.reason], [403, 'Forbidden']);
      // Message and details may quote what was sent.
      assert.deepEqual(refused?.responseStatus, { metadata: {}, status: 'Failure', reason: 'Forbidden', code: 403 });
      assert.equal(refused?.annotations?.[`${brand.group('authorization')}/decision`], 'forbid');
      assert.deepEqual([unknown?.stage, unknown?.responseStatus?.code, unknown?.user], ['ResponseStarted', 401, {}]);
      assert.equal(unknown?.responseStatus?.message, 'Authentication failed, attempted: bearer');
      assert.doesNotMatch(JSON.stringify(unknown), /wrong-one/);
      assert.equal((await server.request('GET', `${MAPS}?timeout=soon`)).status, 400);
      assert.deepEqual(events(MAPS).map(({ stage, user, responseStatus }) => [stage, user, responseStatus]), [['ResponseStarted', {}, { metadata: {}, status: 'Failure', reason: 'BadRequest', code: 400 }]]);
      assert.deepEqual([borrowed?.user.username, borrowed?.impersonatedUser?.username], ['admin', 'alice']);
      await server.close();
    });
  });
}

test('a watch has an event when it begins and one when it ends', async () => {
  const { server, events } = await audited('kubernetes', { rules: [{ level: 'RequestResponse', verbs: ['watch'] }] });
  const watch = await server.watch(`${MAPS}?watch=1&timeoutSeconds=300`);
  assert.deepEqual(events(MAPS).map(({ stage }) => stage), ['RequestReceived', 'ResponseStarted']);
  await watch.stop();
  await server.close();
  assert.deepEqual(events(MAPS).map(({ stage }) => stage), ['RequestReceived', 'ResponseStarted', 'ResponseComplete']);
});

test('a watch that is refused, and a connection that cannot be made, begin and end with their answer', async () => {
  const { server, events } = await audited('kubernetes', { omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] });
  await server.request('GET', `${MAPS}?watch=1`, undefined, { authorization: `Bearer ${TEST_TOKENS.bob}` });
  await server.request('GET', '/api/v1/namespaces/default/pods/none/log');
  await server.request('GET', `${SECRETS}/none`);
  await server.close();
  const told = (about: string): readonly unknown[] => events(about).map(({ stage, responseStatus }) => [stage, responseStatus?.code]);
  assert.deepEqual(told(MAPS), [['ResponseStarted', 403], ['ResponseComplete', 403]]);
  assert.deepEqual(told('/api/v1/namespaces/default/pods'), [['ResponseStarted', 404], ['ResponseComplete', 404]]);
  assert.deepEqual(told(SECRETS), [['ResponseComplete', 404]]);
});

test('R6-14 what is sent through a proxy is for somebody else, and stays out at every level', async (t) => {
  const shop = createServer((request, response) => void request.resume().on('end', () => response.end('welcome')));
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  t.after(() => shop.close());
  const { port } = shop.address() as AddressInfo;
  const options = { over: 'http1', listen: {}, nodes: { mayProxyToLocal: true } } as const;
  const { server, events } = await audited('kubernetes', { omitStages: ['RequestReceived'], rules: [{ level: 'RequestResponse', verbs: ['create'] }] }, {}, options);
  t.after(() => server.close());
  const pods = '/api/v1/namespaces/default/pods';
  await server.request('POST', '/api/v1/namespaces/default/serviceaccounts', { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
  await server.request('POST', pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'shop' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await server.patch('merge', `${pods}/shop/status`, { status: { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] } });
  const login = `${pods}/shop:${port}/proxy/login`;
  assert.equal((await server.request('POST', login, { metadata: { uid: 'u' }, password: 'hush-hush' })).text, 'welcome');
  await server.close();
  const complete = events(login).at(-1);
  assert.deepEqual([complete?.stage, complete?.level], ['ResponseComplete', 'RequestResponse']);
  assert.deepEqual(complete?.objectRef, { resource: 'pods', namespace: 'default', name: `shop:${port}`, apiVersion: 'v1', subresource: 'proxy' });
  assert.equal(complete?.requestObject, undefined);
  assert.doesNotMatch(JSON.stringify(events('/')), /hush-hush/);
});

test('R6-14 what is sent to an aggregated server is for that one to tell, at every level', async (t) => {
  const other = await AggregatedServer.start(['backend.infra.svc']);
  t.after(() => other.close());
  const { server, events } = await audited('kubernetes', { omitStages: ['RequestReceived'], rules: [{ level: 'RequestResponse', verbs: ['create', 'patch'] }] }, {}, { over: 'http1', listen: {} });
  t.after(() => server.close());
  await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'infra' } });
  await server.request('POST', '/api/v1/namespaces/infra/services', { metadata: { name: 'backend' }, spec: { type: 'ExternalName', externalName: 'localhost' } });
  const services = '/apis/apiregistration.k8s.io/v1/apiservices';
  const service = { namespace: 'infra', name: 'backend', port: other.port };
  const spec = { group: 'example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, service, caBundle: other.caBundle };
  const watch = await server.watch(`${services}?watch=1&fieldSelector=metadata.name%3Dv1.example.com`);
  await server.request('POST', services, { metadata: { name: 'v1.example.com' }, spec });
  for (;;) {
    const [{ object }] = await watch.next(1);
    if (object.status?.conditions?.[0]?.status === 'True') break;
  }
  await watch.stop();
  const things = '/apis/example.com/v1/namespaces/n/things';
  const thing = { metadata: { name: 'a', uid: 'u' }, password: 'hush-hush' };
  assert.equal((await server.request('POST', things, thing)).status, 201);
  assert.equal((await server.patch('merge', `${things}/a`, thing)).status, 201);
  await server.close();
  const reference = { resource: 'things', namespace: 'n', apiGroup: 'example.com', apiVersion: 'v1' };
  assert.deepEqual(events(things).map(({ stage, verb, objectRef }) => [stage, verb, objectRef]), [
    ['ResponseComplete', 'create', reference],
    ['ResponseComplete', 'patch', { ...reference, name: 'a' }],
  ]);
  assert.doesNotMatch(JSON.stringify(events('/')), /hush-hush/);
});

test('what nobody foresaw is a panic; its text stays in the process', async () => {
  const broken = definePlugin({
    name: 'Broken',
    enabled: true,
    band: 'builtin',
    create: () => ({
      on: ['CREATE'],
      kinds: ['/configmaps'],
      validate() {
        throw new TypeError('inner secret');
      },
    }),
  });
  const { server, events } = await audited('kubernetes', { omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] }, {}, { admission: { plugins: [broken] } });
  assert.equal((await server.request('POST', MAPS, map('m'))).status, 500);
  const [event] = events(MAPS);
  assert.deepEqual([event?.stage, event?.responseStatus?.code], ['Panic', 500]);
  assert.doesNotMatch(JSON.stringify(event), /inner secret/);
  await server.close();
});

test('R6-14 work that stops because its caller has left is no panic', async (t) => {
  const left = new AbortController();
  const hangingUp = definePlugin({
    name: 'HangingUp',
    enabled: true,
    band: 'builtin',
    create: () => ({
      on: ['CREATE'],
      kinds: ['/configmaps'],
      validate({ signal }) {
        left.abort();
        signal.throwIfAborted();
      },
    }),
  });
  const { server, events } = await audited('kubernetes', { omitStages: ['RequestReceived'], rules: [{ level: 'Metadata' }] }, {}, { admission: { plugins: [hangingUp] } });
  t.after(() => server.close());
  const headers = { authorization: `Bearer ${TEST_TOKENS.admin}`, 'content-type': 'application/json' };
  await assert.rejects(server.server.exchange({ method: 'POST', path: MAPS, headers, body: JSON.stringify(map('m')), signal: left.signal }));
  await server.close();
  assert.deepEqual(events(MAPS).map(({ stage }) => stage), ['ResponseComplete']);
});

test('omitted stages and managed fields stay out, also of lists and tables; protobuf is read', async () => {
  const { server, events } = await audited('kubernetes', {
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
    rules: [{ level: 'RequestResponse', resources: [{ resources: ['configmaps'] }] }],
  });
  await server.request('POST', MAPS, map('m'));
  await server.request('GET', MAPS, undefined, { accept: 'application/vnd.kubernetes.protobuf' });
  await server.request('GET', `${MAPS}/gone`, undefined, { accept: 'application/vnd.kubernetes.protobuf' });
  const tabled = await server.request('GET', MAPS, undefined, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  assert.match(tabled.text, /managedFields/);
  const [made, listed, missing, table] = events(MAPS);
  assert.ok(made?.responseObject?.metadata?.uid);
  assert.equal(listed?.responseObject?.kind, 'ConfigMapList');
  assert.equal(listed?.responseObject?.items?.length, 1);
  assert.deepEqual([missing?.responseStatus?.code, missing?.responseStatus?.reason], [404, 'NotFound']);
  assert.match(JSON.stringify(table), /"kind":"Table".*"object":\{"kind":"PartialObjectMetadata"/);
  assert.doesNotMatch(JSON.stringify([made, listed, table]), /managedFields/);
  await server.close();
});

test('a line cannot be forged, and the legacy form has no bodies', async () => {
  const { server, file } = await audited('kubernetes', { rules: [{ level: 'RequestResponse' }] }, { format: 'legacy' });
  await server.request('POST', MAPS, map('m'), { 'user-agent': 'x" AUDIT: id="forged' });
  const lines = readFileSync(file, 'utf8').split('\n').filter((line) => line.includes(MAPS));
  assert.equal(lines.length, 2);
  assert.match(lines[1] ?? '', /^\d{4}-\S+Z AUDIT: id="[-0-9a-f]+" stage="ResponseComplete" ip="<unknown>" method="create" user="admin" .* user-agent="x\\" AUDIT: id=\\"forged" namespace="default" uri="\S+" response="201"$/);
  assert.doesNotMatch(lines.join(''), /content/);
  await server.close();
});

test('a full log is put aside, packed, and the oldest are removed; only its owner may read it', async () => {
  const clock = new TurnedClock();
  const { server, file } = await audited('kubernetes', { rules: [{ level: 'Metadata', resources: [{ resources: ['configmaps'] }] }] }, { maxBytes: 1_500, maxBackups: 2, compress: true }, { clock });
  for (let i = 0; i < 12; i++) {
    clock.turn(1_000);
    await server.request('GET', `${MAPS}/m${i}`);
  }
  await server.close();
  const stem = path.basename(file, '.log');
  const names = readdirSync(folder).filter((name) => name.startsWith(stem));
  assert.equal(names.filter((name) => /-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log\.gz$/.test(name)).length, 2);
  assert.equal(names.length, 3);
  assert.ok(statSync(file).size <= 1_500);
  assert.equal(statSync(file).mode & 0o077, 0);
});

test('a log of which nothing is said is put aside before it has more than 100 MiB, as with kube-apiserver', async () => {
  for (const [mebibytes, count] of [[99, 1], [100, 2]] as const) {
    const file = path.join(folder, `audit-${files++}.log`);
    writeFileSync(file, '');
    truncateSync(file, mebibytes * 1024 * 1024);
    const server = await startTestServer({ dialect: 'kubernetes', controllers: 'none', aggregateRoles: false, audit: { policy: onlyMaps, log: { path: file } } });
    await server.request('GET', `${MAPS}/m`);
    await server.close();
    const stem = path.basename(file, '.log');
    assert.equal(readdirSync(folder).filter((name) => name.startsWith(`${stem}.`) || name.startsWith(`${stem}-`)).length, count);
  }
});

describe('a webhook', () => {
  test('gets events together, and again whatever it answered before, as from 1.23', async () => {
    for (const status of [503, 404, 400]) {
      const back = await BackEnd.open();
      const clock = new TurnedClock();
      const server = await startTestServer({ dialect: 'kubernetes', controllers: 'none', aggregateRoles: false, clock, audit: { policy: onlyMaps, webhook: back.settings('batch') } });
      back.statuses.push(status);
      await server.request('POST', MAPS, map('a'));
      await server.request('POST', MAPS, map('b'));
      assert.equal(back.lists.length, 0);
      clock.turn(30_000);
      await back.calls(1);
      assert.equal(back.lists.length, 0);
      await server.close();
      await back.calls(2);
      assert.deepEqual(back.lists.map((list) => [list.kind, list.apiVersion, list.items.length]), [['EventList', 'audit.k8s.io/v1', 2]]);
      await back.close();
    }
  });

  test('that fails does not fail requests, unless that is asked for', async () => {
    const back = await BackEnd.open();
    for (const [mode, status] of [['blocking', 201], ['blocking-strict', 500]] as const) {
      back.statuses.push(400, 400, 400, 400, 400);
      const server = await startTestServer({ dialect: 'kubernetes', controllers: 'none', aggregateRoles: false, audit: { policy: onlyMaps, webhook: { ...back.settings(mode), firstDelayMs: 1 } } });
      assert.equal((await server.request('POST', MAPS, map('a'))).status, status, mode);
      await server.close();
    }
    await back.close();
  });

  test('events that are too large go without their objects', async () => {
    const back = await BackEnd.open();
    const webhook = { ...back.settings('blocking'), truncate: { maxEventBytes: 2_000, maxBatchBytes: 10_000 } };
    const policy = policyOf('kubernetes', { omitStages: ['RequestReceived'], rules: [{ level: 'Request', resources: [{ resources: ['configmaps'] }] }] });
    const server = await startTestServer({ dialect: 'kubernetes', controllers: 'none', aggregateRoles: false, audit: { policy, webhook } });
    await server.request('POST', MAPS, { ...map('a'), data: { big: 'x'.repeat(5_000) } });
    const [event] = back.lists[0]?.items ?? [];
    assert.equal(event?.requestObject, undefined);
    assert.equal(event?.annotations?.['audit.k8s.io/truncated'], 'true');
    await server.close();
    await back.close();
  });
});

const onlyMaps = policyOf('kubernetes', { omitStages: ['ResponseComplete'], rules: [{ level: 'Metadata', resources: [{ resources: ['configmaps'] }] }] });

interface EventList {
  readonly kind: string;
  readonly apiVersion: string;
  readonly items: readonly AuditEvent[];
}

/** A server that keeps what it is sent. */
class BackEnd {
  readonly lists: EventList[] = [];
  /** What the next calls are answered with; then 200. */
  readonly statuses: number[] = [];
  readonly #server: Server;
  #called = 0;
  #waiting: { readonly count: number; readonly done: () => void }[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<BackEnd> {
    const server = createServer();
    const back = new BackEnd(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const status = back.statuses.shift() ?? 200;
        if (status === 200) back.lists.push(JSON.parse(Buffer.concat(chunks).toString('utf8')) as EventList);
        response.writeHead(status).end(() => back.#count());
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return back;
  }

  settings(mode: AuditMode): NonNullable<Audit['webhook']> {
    const configFile = path.join(folder, `kubeconfig-${files++}`);
    const { port } = this.#server.address() as AddressInfo;
    const server = `http://127.0.0.1:${port}`;
    writeFileSync(configFile, JSON.stringify({ 'current-context': 'c', contexts: [{ name: 'c', context: { cluster: 'c' } }], clusters: [{ name: 'c', cluster: { server } }] }));
    return { configFile, mode };
  }

  /** Resolves when so many calls were answered. */
  calls(count: number): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ count, done });
      this.#tell();
    });
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #count(): void {
    this.#called++;
    this.#tell();
  }

  #tell(): void {
    this.#waiting = this.#waiting.filter(({ count, done }) => {
      if (this.#called < count) return true;
      done();
      return false;
    });
  }
}
