// The numbers of section 8 at their boundaries: what is just allowed passes, one more does not. Times of certificates, tokens and caches are
// with what they belong to.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { nextTurn } from '#base';
import { brandOf, DIALECTS } from '#api';
import { allKinds } from '#kinds';
import { FEATURES, FLAGS, IDLE_FLAGS } from '#server';
import { startTestServer, TurnedClock, type TestJson, type TestServer, type TestServerOptions } from '#testing';
import { createGate } from './gate.ts';
import { causesOf, everywhere, expect, expectFailure, PLACES } from './world.ts';

const servers: TestServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function start(options: TestServerOptions): Promise<TestServer> {
  const server = await startTestServer({ controllers: 'none', ...options });
  servers.push(server);
  return server;
}

const NO_RULES = [{ apiGroups: ['none.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothing'] }];

everywhere(PLACES.both, (world) => {
  const group = world.brand.group('admissionregistration');
  for (const kind of ['Validating', 'Mutating'] as const) {
    const path = `/apis/${group}/v1/${kind.toLowerCase()}webhookconfigurations`;
    const create = (more: object, service: object = {}) => {
      const clientConfig = { service: { name: 's', namespace: 'n', ...service } };
      const webhook = { name: 'a.example.com', admissionReviewVersions: ['v1'], sideEffects: 'None', rules: NO_RULES, clientConfig, ...more };
      return world.server.request('POST', path, { metadata: { name: world.fresh() }, webhooks: [webhook] });
    };

    test(`R8-03 R8-04 ${kind} webhooks wait 1 to 30 seconds, 10 by default`, async () => {
      for (const timeoutSeconds of [1, 30]) assert.equal(expect(201, await create({ timeoutSeconds })).webhooks[0].timeoutSeconds, timeoutSeconds);
      for (const timeoutSeconds of [0, 31]) {
        assert.deepEqual(causesOf(expectFailure(422, 'Invalid', await create({ timeoutSeconds }))), ['FieldValueInvalid webhooks[0].timeoutSeconds']);
      }
      assert.equal(expect(201, await create({})).webhooks[0].timeoutSeconds, 10);
    });

    test(`R8-06 R8-07 services of ${kind} webhooks have ports 1 to 65535, 443 by default`, async () => {
      for (const port of [1, 65_535]) assert.equal(expect(201, await create({}, { port })).webhooks[0].clientConfig.service.port, port);
      for (const port of [0, 65_536]) {
        assert.deepEqual(causesOf(expectFailure(422, 'Invalid', await create({}, { port }))), ['FieldValueInvalid webhooks[0].clientConfig.service.port']);
      }
      assert.equal(expect(201, await create({})).webhooks[0].clientConfig.service.port, 443);
    });

    test(`R8-05 the beta version of ${kind} webhook configurations, with its 30 seconds, has gone before this release`, async () => {
      expect(404, await world.server.request('GET', `/apis/${group}/v1beta1/${kind.toLowerCase()}webhookconfigurations`));
    });
  }

  test('R7-34 no number of patches makes an object larger than 8 MiB: the one that would is refused, and the object stays as it was', async () => {
    const roles = `/apis/${world.brand.group('rbac')}/v1/namespaces/default/roles`;
    const role = `${roles}/${world.fresh()}`;
    expect(201, await world.server.request('POST', roles, { metadata: { name: role.slice(roles.length + 1) } }));
    const part = { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['x'.repeat(2_800_000)] };
    const grow = (at: number) => world.server.patch('json', role, [{ op: 'add', path: `/rules${at === 0 ? '' : '/-'}`, value: at === 0 ? [part] : part }]);
    for (const at of [0, 1]) expect(200, await grow(at));
    const refused = expectFailure(413, 'RequestEntityTooLarge', await grow(2));
    assert.match(refused.message, /8388608 bytes/);
    assert.equal(expect(200, await world.server.request('GET', role)).rules.length, 2);
  });
});

/** How many releases lie between two. */
const releases = (from: string, to: string): number => Number(to.split('.')[1]) - Number(from.split('.')[1]);

test('R8-21 no beta version goes sooner than three releases after it was called deprecated', () => {
  const deprecated = allKinds.flatMap(({ kind, versions }) => Object.entries(versions).flatMap(([version, { deprecated: end }]) => (end === undefined ? [] : [{ what: `${kind} ${version}`, ...end }])));
  assert.ok(deprecated.length > 5);
  for (const { what, since, goneIn } of deprecated) assert.ok(goneIn === undefined || releases(since, goneIn) >= 3, `${what} ${since} ${goneIn}`);
});

test('R8-22 R8-23 R8-24 R8-25 flags and features that are on their way out are still taken, and say what became of them', () => {
  // Nothing that users or administrators type has been taken away: a flag that does nothing any more is accepted with a word about it.
  for (const { name, idle, help } of IDLE_FLAGS) assert.ok(idle.length > 10 && help.includes(idle), name);
  assert.equal(new Set([...FLAGS, ...IDLE_FLAGS].map(({ name }) => name)).size, FLAGS.length + IDLE_FLAGS.length);
  for (const { name, stage } of FEATURES) assert.ok(['Alpha', 'Beta', 'GA', 'Deprecated'].includes(stage), name);
});

for (const dialect of DIALECTS) {
  test(`R8-26 requests at once, without priority levels: as many as are allowed, of either sort, and one more is told to come back (${dialect})`, async () => {
    const held: (() => void)[] = [];
    const slow = { name: 'Slow', enabled: true, band: 'final' as const, create: () => ({ on: ['CREATE' as const], kinds: ['/configmaps'], validate: () => new Promise<void>((resolve) => held.push(resolve)) }) };
    const alice = { authorization: 'Bearer alicetoken' };
    const flowControl = { isFair: false, maxReading: 2, maxChanging: 2 };
    const server = await start({ dialect, flowControl, authorization: { modes: ['AlwaysAllow'] }, admission: { plugins: [slow] } });
    const make = (name: string) => server.request('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name } }, alice);
    const running = [make('a'), make('b')];
    while (held.length < 2) await new Promise(setImmediate);
    const refused = await make('c');
    assert.deepEqual([refused.status, refused.headers['retry-after']], [429, '1']);
    expect(200, await server.request('GET', '/api/v1/namespaces/default/configmaps', undefined, alice));
    held.forEach((go) => go());
    for (const answer of running) expect(201, await answer);
  });

  test(`a request that names no time ends after that of --request-timeout, and may not name more (${dialect})`, async () => {
    const never = { name: 'Never', enabled: true, band: 'final' as const, create: () => ({ on: ['CREATE' as const], kinds: ['/configmaps'], validate: () => new Promise<void>(() => {}) }) };
    const server = await start({ dialect, serving: { requestTimeoutMs: 20 }, admission: { plugins: [never] } });
    const path = '/api/v1/namespaces/default/configmaps';
    for (const query of ['', '?timeout=1h']) {
      const late = expectFailure(504, 'Timeout', await server.request('POST', `${path}${query}`, { metadata: { name: 'a' } }));
      assert.equal(late.message, 'Timeout: request did not complete within the allotted timeout');
    }
  });

  test(`what a request still works at when its time is over is not stored (${dialect})`, async () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const map = (text: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { text } });
    for (const [operation, method, at, body] of [['CREATE', 'POST', path, map('new')], ['UPDATE', 'PUT', `${path}/a`, map('new')], ['DELETE', 'DELETE', `${path}/a`, undefined]] as const) {
      const gate = createGate([operation]);
      const server = await start({ dialect, admission: { plugins: [gate.plugin] } });
      if (operation !== 'CREATE') expect(201, await server.request('POST', path, map('old')));
      // On a machine so slow that this is over before the write comes to the gate, there is nothing to wait for either.
      expectFailure(504, 'Timeout', await server.request(method, `${at}?timeout=100ms`, body));
      gate.open();
      for (let turn = 0; turn < 10; turn++) await nextTurn();
      const kept = expect(200, await server.request('GET', path)).items.map(({ data }: TestJson) => data.text);
      assert.deepEqual(kept, operation === 'CREATE' ? [] : ['old'], operation);
    }
  });

  test(`events are kept as long as --event-ttl says, and not longer (${dialect})`, async () => {
    const clock = new TurnedClock();
    const server = await start({ dialect, clock, serving: { eventTtlSeconds: 100 } });
    const events = '/api/v1/namespaces/default/events';
    expect(201, await server.request('POST', events, { metadata: { name: 'e' }, involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' } }));
    clock.turn(99_000);
    expect(200, await server.request('GET', `${events}/e`));
    clock.turn(2_000);
    expect(404, await server.request('GET', `${events}/e`));
  });

  test(`events of both groups are kept until they are deleted where --event-ttl is 0s (${dialect})`, async () => {
    const clock = new TurnedClock();
    const server = await start({ dialect, clock, serving: { eventTtlSeconds: 0 } });
    const events = ['/api/v1', `/apis/${brandOf(dialect).group('events')}/v1`].map((group) => `${group}/namespaces/default/events`);
    const regarding = { kind: 'Pod', namespace: 'default', name: 'p' };
    const told = { eventTime: '2026-01-01T00:00:00.000000Z', reportingController: 'a/b', reportingInstance: 'i', action: 'a', reason: 'r', type: 'Normal' };
    expect(201, await server.request('POST', events[0] ?? '', { metadata: { name: 'e0' }, involvedObject: regarding }));
    expect(201, await server.request('POST', events[1] ?? '', { metadata: { name: 'e1' }, regarding, ...told }));
    clock.turn(400 * 86_400_000);
    for (const [at, path] of events.entries()) expect(200, await server.request('GET', `${path}/e${at}`));
    expect(200, await server.request('DELETE', `${events[0]}/e0`));
    expect(404, await server.request('GET', `${events[0]}/e0`));
  });

  test(`a watch that names no time ends between --min-request-timeout and twice as long (${dialect})`, async () => {
    const clock = new TurnedClock();
    const server = await start({ dialect, clock, serving: { minWatchSeconds: 100 } });
    const path = '/api/v1/namespaces/default/configmaps';
    const watch = await server.watch(`${path}?watch=1`);
    clock.turn(99_000);
    expect(201, await server.request('POST', path, { metadata: { name: 'a' } }));
    assert.equal((await watch.next(1)).length, 1);
    clock.turn(102_000);
    assert.deepEqual(await watch.rest(), []);
  });
}
