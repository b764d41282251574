// The weaknesses that Kubernetes leaves open for compatibility: closed by default, and open for those who ask for it.
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterEach, mock, test } from 'node:test';
import { brandOf, DIALECTS, type Dialect } from '#api';
import { startTestServer, TEST_TOKENS, type TestServer, type TestServerOptions } from '#testing';
import { askBackEnd, TransportFailure } from '#transport';
import { denying } from '../support/webhook-server.ts';
import { WebhookWorld } from '../support/webhook-world.ts';

const servers: TestServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function start(options: TestServerOptions): Promise<TestServer> {
  const server = await startTestServer({ controllers: 'none', ...options });
  servers.push(server);
  return server;
}

async function must(code: number, answer: ReturnType<TestServer['request']>): Promise<string> {
  const { status, text } = await answer;
  assert.equal(status, code, text);
  return text;
}

const ALICE = { authorization: `Bearer ${TEST_TOKENS.alice}` };
const IN_DEFAULT = '/api/v1/namespaces/default';
const service = (name: string, ...externalIPs: string[]): object => ({ metadata: { name }, spec: { ports: [{ port: 80 }], externalIPs } });

test('containers that ask for all rights on their node are refused, and let in by a setting', async () => {
  const pod = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }], automountServiceAccountToken: false } };
  for (const dialect of DIALECTS) {
    for (const [doors, code] of [[{}, 422], [{ privilegedContainers: true }, 201]] as const) {
      const server = await start({ dialect, doors });
      await must(201, server.request('POST', `${IN_DEFAULT}/serviceaccounts`, { metadata: { name: 'default' } }));
      await must(code, server.request('POST', `${IN_DEFAULT}/pods`, pod));
    }
  }
});

test("external IPs of services: who may write services takes no addresses in, and old ones may stay; a permission and a setting let them in", async () => {
  for (const [dialect, doors] of [['orch', {}], ['kubernetes', { serviceExternalIPs: false }]] as const) {
    const closed = await start({ dialect, doors });
    await mayWrite(closed, dialect, ['services']);
    assert.match(await must(403, closed.request('POST', `${IN_DEFAULT}/services`, service('s', '198.51.100.1'), ALICE)), /external IP 198\.51\.100\.1 is not allowed; who may create services\/externalips/);
    await must(201, closed.request('POST', `${IN_DEFAULT}/services`, service('s'), ALICE));
    const patch = (...ips: readonly string[]): ReturnType<TestServer['request']> =>
      closed.request('PATCH', `${IN_DEFAULT}/services/s`, { spec: { externalIPs: ips } }, { ...ALICE, 'content-type': 'application/merge-patch+json' });
    await must(403, patch('198.51.100.1'));
    await must(200, closed.patch('merge', `${IN_DEFAULT}/services/s`, { spec: { externalIPs: ['198.51.100.1'] } }));
    await must(403, patch('198.51.100.1', '198.51.100.2'));
    await must(200, closed.patch('merge', `${IN_DEFAULT}/services/s`, { metadata: { labels: { a: 'b' } } }));
  }
  for (const opening of [{ doors: { serviceExternalIPs: true } }, { dialect: 'kubernetes' }] as const) {
    const open = await start(opening);
    await mayWrite(open, 'dialect' in opening ? opening.dialect : 'orch', ['services']);
    await must(201, open.request('POST', `${IN_DEFAULT}/services`, service('s', '198.51.100.1'), ALICE));
  }
});

/** Lets alice do everything with those core resources in the namespace `default`. */
async function mayWrite(server: TestServer, dialect: Dialect, resources: readonly string[], more: readonly string[] = []): Promise<void> {
  const group = brandOf(dialect).group('rbac');
  const rbac = `/apis/${group}/v1/namespaces/default`;
  await must(201, server.request('POST', `${rbac}/roles`, { metadata: { name: 'r' }, rules: [{ apiGroups: ['', ...more], resources, verbs: ['*'] }] }));
  const subjects = [{ kind: 'User', apiGroup: group, name: 'alice' }];
  await must(201, server.request('POST', `${rbac}/rolebindings`, { metadata: { name: 'r' }, roleRef: { apiGroup: group, kind: 'Role', name: 'r' }, subjects }));
}

const MINE = '10.9.0.1';
const THEIRS = '10.9.0.2';
const NODES = '10.9.0.3';
const ENDED = '10.9.0.4';

/** Pods with addresses in two namespaces, and alice, who may write endpoints in one of them. */
async function withPods(dialect: Dialect, options: TestServerOptions = {}): Promise<TestServer> {
  const server = await start({ dialect, ...options });
  await must(201, server.request('POST', '/api/v1/namespaces', { metadata: { name: 'theirs' } }));
  for (const namespace of ['default', 'theirs']) await must(201, server.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } }));
  const pods: readonly (readonly [namespace: string, ip: string, spec?: object, phase?: string])[] = [['default', MINE], ['theirs', THEIRS], ['theirs', NODES, { hostNetwork: true }], ['theirs', ENDED, {}, 'Succeeded']];
  for (const [namespace, ip, spec = {}, phase = 'Running'] of pods) {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const name = `p-${ip.replaceAll('.', '-')}`;
    await must(201, server.request('POST', path, { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } }));
    await must(200, server.patch('merge', `${path}/${name}/status`, { status: { phase, podIP: ip, podIPs: [{ ip }] } }));
  }
  await mayWrite(server, dialect, ['endpoints', 'endpointslices'], [brandOf(dialect).group('discovery')]);
  return server;
}

const endpoints = (ip: string, targetRef?: object): object => ({ metadata: { name: 'e' }, subsets: [{ addresses: [{ ip, ...(targetRef === undefined ? {} : { targetRef }) }], ports: [{ port: 80 }] }] });
const slice = (ip: string): object => ({ metadata: { name: 'e' }, addressType: 'IPv4', endpoints: [{ addresses: [ip] }], ports: [] });
const DRY = '?dryRun=All';

for (const dialect of DIALECTS) {
  test(`endpoints written by hand do not lead into other namespaces (${dialect})`, async () => {
    const server = await withPods(dialect, { doors: { foreignEndpoints: false } });
    const group = brandOf(dialect).group('discovery');
    for (const [path, form] of [[`${IN_DEFAULT}/endpoints`, endpoints], [`/apis/${group}/v1/namespaces/default/endpointslices`, slice], [`/apis/${group}/v1beta1/namespaces/default/endpointslices`, slice]] as const) {
      const create = (ip: string, code: number, headers = ALICE): Promise<string> => must(code, server.request('POST', `${path}${DRY}`, form(ip), headers));
      assert.match(await create(THEIRS, 403), /10\.9\.0\.2 belongs to a pod of another namespace; who may create endpoints\/restricted may lead there/);
      for (const ip of [MINE, NODES, ENDED, '203.0.113.9']) await create(ip, 201);
      await must(201, server.request('POST', `${path}${DRY}`, form(THEIRS)));
      // Not by a change either; what somebody else has let in may stay.
      await must(201, server.request('POST', path, form(MINE), ALICE));
      await must(403, server.request('PUT', `${path}/e`, form(THEIRS), ALICE));
      await must(200, server.request('PUT', `${path}/e`, form(THEIRS)));
      await must(200, server.patch('merge', `${path}/e`, { metadata: { labels: { a: 'b' } } }, ALICE));
      await must(200, server.request('DELETE', `${path}/e`));
    }
    await must(403, server.request('POST', `${IN_DEFAULT}/endpoints${DRY}`, endpoints('203.0.113.9', { kind: 'Pod', name: 'p', namespace: 'theirs' }), ALICE));
  });
}

test('endpoints written by hand: open where it is asked for, and by default in the dialect kubernetes', async () => {
  for (const server of [await withPods('orch', { doors: { foreignEndpoints: true } }), await withPods('kubernetes')]) {
    await must(201, server.request('POST', `${IN_DEFAULT}/endpoints`, endpoints(THEIRS), ALICE));
  }
});

const listeners: Server[] = [];
afterEach(() => listeners.splice(0).forEach((listener) => (listener.close(), listener.closeAllConnections())));

/** Something on this machine that is not for everybody; its port. */
async function listenInside(answer: RequestListener): Promise<number> {
  const listener = createServer(answer).listen(0, '127.0.0.1');
  listeners.push(listener);
  await once(listener, 'listening');
  return (listener.address() as AddressInfo).port;
}

test('proxy to link-local and loopback addresses: endpoints, pods and nodes that are there lead nowhere; a setting lets them', async () => {
  const port = await listenInside((_request, response) => void response.end('inside'));
  for (const mayProxyToLocal of [false, true]) {
    const server = await start({ nodes: { mayProxyToLocal }, over: 'http1', listen: {} });
    await must(201, server.request('POST', '/api/v1/nodes', { metadata: { name: 'n' } }));
    await must(201, server.request('POST', `${IN_DEFAULT}/serviceaccounts`, { metadata: { name: 'default' } }));
    await must(200, server.patch('merge', '/api/v1/nodes/n/status', { status: { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] } }));
    await must(201, server.request('POST', `${IN_DEFAULT}/pods`, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }));
    await must(200, server.patch('merge', `${IN_DEFAULT}/pods/p/status`, { status: { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] } }));
    for (const path of [`${IN_DEFAULT}/pods/p:${port}/proxy/`, `/api/v1/nodes/n:${port}/proxy/`]) {
      const { status, text } = await server.request('GET', path);
      if (mayProxyToLocal) assert.deepEqual([status, text], [200, 'inside'], path);
      else assert.match(text, /address not allowed/, path);
    }
  }
});

/** Names mean what the test says, one answer after the other; the last one again and again. */
function nameServer(...answers: readonly (readonly string[])[]): { readonly answered: Promise<void>; readonly asked: () => number; restore(): void } {
  let asked = 0;
  let tell = (): void => {};
  const answered = new Promise<void>((resolve) => (tell = resolve));
  const answer = (_host: string, _options: object, done: (failure: null, found: readonly dns.LookupAddress[]) => void): void => {
    const found = answers[Math.min(asked++, answers.length - 1)] ?? [];
    setImmediate(() => {
      done(null, found.map((address) => ({ address, family: 4 })));
      tell();
    });
  };
  const mocked = mock.method(dns, 'lookup', answer as unknown as typeof dns.lookup);
  syncBuiltinESMExports();
  return {
    answered,
    asked: () => asked,
    restore: () => {
      mocked.mock.restore();
      syncBuiltinESMExports();
    },
  };
}

test('DNS rebinding between check and dial: a name is looked up once, and what was checked is dialled', async () => {
  let calls = 0;
  const port = await listenInside((_request, response) => void response.end(String(++calls)));
  const ask = (signal: AbortSignal) => askBackEnd({ isSecure: false, host: 'turns.example.com', port, isLocalRefused: true }, { method: 'GET', path: '/', headers: {}, signal });
  // First an address for documentation, where nobody is; then this machine.
  const names = nameServer(['192.0.2.1'], ['127.0.0.1']);
  try {
    const leaving = new AbortController();
    const left = ask(leaving.signal);
    await names.answered;
    leaving.abort();
    await assert.rejects(left, TransportFailure);
    assert.deepEqual([names.asked(), calls], [1, 0]);
    await assert.rejects(ask(new AbortController().signal), (failure) => failure instanceof TransportFailure && failure.code === 'forbidden-address');
    assert.equal(calls, 0);
  } finally {
    names.restore();
  }
  const both = nameServer(['192.0.2.1', '169.254.169.254']);
  try {
    await assert.rejects(ask(new AbortController().signal), (failure) => failure instanceof TransportFailure && failure.code === 'forbidden-address');
  } finally {
    both.restore();
  }
});

for (const dialect of DIALECTS) {
  test(`webhook error bodies in logs: callers are told what webhooks answer, logs are not (${dialect})`, async () => {
    for (const webhookAnswersInLogs of [false, true]) {
      const lines: string[] = [];
      const note = (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
        void lines.push(`${message} ${Object.values(fields).map((value) => (value instanceof Error ? `${value.message} ${value.stack} ${String(value.cause)}` : JSON.stringify(value))).join(' ')}`);
      const world = new WebhookWorld(dialect);
      await world.start({ log: { info: note, warn: note, error: note }, doors: { webhookAnswersInLogs } });
      try {
        const namespace = await world.namespace();
        const secret = 'what-only-"insiders"\nmay-read';
        for (const status of [500, 302, 200]) {
          await world.register('Validating', [world.webhook(namespace, (_heard, response) => void response.writeHead(status, { location: '/' }).end(secret))]);
          const { text } = await world.createMap(namespace);
          assert.match(text, /what-only/);
          await world.forget();
        }
        await world.register('Validating', [world.webhook(namespace, denying({ message: secret, code: 500 }))]);
        assert.match((await world.createMap(namespace)).text, /what-only/);
        await world.forget();
      } finally {
        await world.end();
      }
      const told = lines.filter((line) => line.includes('insiders') || line.includes('may-read'));
      if (webhookAnswersInLogs) assert.ok(told.length > 0, lines.join('\n'));
      else assert.deepEqual(told, []);
      assert.ok(lines.some((line) => line.includes('an error on the server (')), lines.join('\n'));
    }
  });
}
