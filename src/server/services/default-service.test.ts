import assert from 'node:assert/strict';
import { isIPv6 } from 'node:net';
import { test } from 'node:test';
import { deferred, silentLog, systemClock, type Clock, type Deferred } from '#base';
import { brandOf } from '#api';
import { openEngine } from '#storage';
import { startTestServer, TurnedClock, type TestServer } from '#testing';
import { DefaultService } from './default-service.ts';
import { advertisedAddress, settleServices } from './options.ts';
import { ServingLeases } from './serving-leases.ts';

const NAMES = { orch: 'orch', kubernetes: 'kubernetes' } as const;
const inDefault = (resource: string): string => `/api/v1/namespaces/default/${resource}`;

for (const dialect of ['orch', 'kubernetes'] as const) {
  test(`${dialect}: the API is found as a service of its own, with the first address of the range`, async () => {
    const api = await startTestServer({ dialect, over: 'http1', listen: {}, controllers: 'none', services: { advertiseAddress: '192.0.2.7', clusterIps: ['10.3.0.0/24'] } });
    try {
      const { body: service } = await api.request('GET', inDefault(`services/${NAMES[dialect]}`));
      assert.deepEqual([service.spec.clusterIP, service.spec.type, service.metadata.labels], ['10.3.0.1', 'ClusterIP', { component: 'apiserver', provider: NAMES[dialect] }]);
      assert.deepEqual(service.spec.ports, [{ name: 'https', protocol: 'TCP', port: 443, targetPort: api.server.port }]);
      // Said, and not left to a default: so it belongs to the server.
      assert.ok('f:ipFamilyPolicy' in service.metadata.managedFields[0].fieldsV1['f:spec']);
      const { body: endpoints } = await api.request('GET', inDefault(`endpoints/${NAMES[dialect]}`));
      assert.deepEqual(endpoints.subsets, [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ name: 'https', port: api.server.port, protocol: 'TCP' }] }]);
      const slices = `/apis/${brandOf(dialect).group('discovery')}/v1/namespaces/default/endpointslices`;
      const { body: slice } = await api.request('GET', `${slices}/${NAMES[dialect]}`);
      assert.deepEqual([slice.addressType, slice.endpoints], ['IPv4', [{ addresses: ['192.0.2.7'], conditions: { ready: true } }]]);
      const taken = await api.request('POST', inDefault('services'), { apiVersion: 'v1', kind: 'Service', metadata: { name: 'thief' }, spec: { clusterIP: '10.3.0.1', ports: [{ port: 1 }] } });
      assert.equal(taken.status, 422);
    } finally {
      await api.close();
    }
  });
}

test('a server that listens on loopback, or nowhere, stands behind nothing', async () => {
  const api = await startTestServer({ controllers: 'none' });
  try {
    assert.equal((await api.request('GET', inDefault('services/orch'))).status, 200);
    assert.equal((await api.request('GET', inDefault('endpoints/orch'))).status, 404);
  } finally {
    await api.close();
  }
  assert.equal(advertisedAddress({}, '127.0.0.1'), undefined);
  assert.equal(advertisedAddress({}, '192.0.2.1'), '192.0.2.1');
  assert.equal(advertisedAddress({ advertiseAddress: '192.0.2.2' }, '127.0.0.1'), '192.0.2.2');
  assert.equal(advertisedAddress({ advertiseAddress: '0.0.0.0' }, '192.0.2.1'), '192.0.2.1');
  for (const advertiseAddress of ['127.0.0.1', '::1', '169.254.1.1']) assert.equal(advertisedAddress({ advertiseAddress }, '192.0.2.1'), undefined);
});

test('a server that listens everywhere stands behind an address of IPv4, and on a machine that has none behind one of IPv6', () => {
  const addresses = (...all: readonly string[]) => () => ({ eth0: all.map((address) => ({ address, family: isIPv6(address) ? 'IPv6' : 'IPv4' })) }) as never;
  const rows = [
    [['127.0.0.1', '2001:db8::7', '192.0.2.7'], '192.0.2.7'],
    [['127.0.0.1', '::1', 'fe80::7', '2001:db8::7'], '2001:db8::7'],
    [['127.0.0.1', '::1', '169.254.1.1', 'fe80::7'], undefined],
  ] as const;
  for (const [all, found] of rows) for (const host of ['0.0.0.0', '::']) assert.equal(advertisedAddress({}, host, addresses(...all)), found);
});

test('a service of the API that cannot be kept is told of once in ten minutes', async () => {
  const clock = new TurnedClock();
  const told: string[] = [];
  const log = { ...silentLog, warn: (message: string) => told.push(message) };
  let asked = 0;
  const loopback = () => {
    asked++;
    return Promise.resolve({ status: 500, headers: {}, warnings: [], body: Buffer.from('{"message":"broken"}') });
  };
  const service = new DefaultService({ loopback, brand: brandOf('orch'), clock, log, clusterIp: '10.0.0.1' });
  await service.start();
  for (let round = 0; round < 5; round++) {
    clock.turn(10_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual([asked, told.length], [6, 1]);
  await service.stop();
});

test('services of a server with two families get two addresses where they ask for them', async () => {
  const api = await startTestServer({ controllers: 'none', services: { clusterIps: ['10.0.0.0/24', 'fd00::/112'], nodePorts: [31_000, 31_001] } });
  const make = (name: string, spec: object) => api.request('POST', inDefault('services'), { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
  try {
    const { body: single } = await make('single', {});
    assert.deepEqual([single.spec.ipFamilies, single.spec.ipFamilyPolicy, single.spec.clusterIPs.length], [['IPv4'], 'SingleStack', 1]);
    const { body: both } = await make('both', { ipFamilyPolicy: 'RequireDualStack', type: 'NodePort' });
    assert.deepEqual(both.spec.ipFamilies, ['IPv4', 'IPv6']);
    assert.match(both.spec.clusterIPs.join(' '), /^10\.0\.0\.\d+ fd00::\S+$/);
    assert.ok([31_000, 31_001].includes(both.spec.ports[0].nodePort));
    const { body: six } = await make('six', { ipFamilies: ['IPv6'] });
    assert.match(six.spec.clusterIP, /^fd00::/);
    const down = await api.patch('merge', inDefault('services/both'), { spec: { ipFamilyPolicy: 'SingleStack' } });
    assert.deepEqual([down.status, down.body.spec.ipFamilies, down.body.spec.clusterIPs], [200, ['IPv4'], [both.spec.clusterIP]]);
    const up = await api.patch('merge', inDefault('services/single'), { spec: { ipFamilyPolicy: 'PreferDualStack' } });
    assert.deepEqual([up.status, up.body.spec.clusterIPs[0], up.body.spec.clusterIPs.length], [200, single.spec.clusterIP, 2]);
  } finally {
    await api.close();
  }
});

test('one family: two are refused, and one is enough where two are preferred', async () => {
  const api = await startTestServer({ controllers: 'none' });
  const make = (name: string, spec: object) => api.request('POST', inDefault('services'), { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
  try {
    assert.equal((await make('a', { ipFamilyPolicy: 'RequireDualStack' })).status, 422);
    assert.equal((await make('b', { ipFamilyPolicy: 'PreferDualStack' })).body.spec.clusterIPs.length, 1);
    assert.equal((await make('c', { ipFamilies: ['IPv6'] })).status, 422);
  } finally {
    await api.close();
  }
});

test('servers that start on an empty store in one moment have the service made by one of them, and none calls that a failure', async () => {
  const api = await startTestServer({ controllers: 'none' });
  const told: unknown[] = [];
  const log = { ...silentLog, warn: (_message: string, fields?: unknown) => told.push(fields) };
  const bothAsk = [deferred<void>(), deferred<void>()];
  const keeper = (which: number): DefaultService =>
    new DefaultService({
      async loopback(request) {
        const answer = await api.server.exchange({ ...request, headers: { ...request.headers, authorization: 'Bearer admintoken' } });
        bothAsk[which]!.resolve();
        await Promise.all(bothAsk.map(({ promise }) => promise));
        return answer;
      },
      brand: brandOf('orch'),
      clock: systemClock,
      log,
      clusterIp: '10.0.0.1',
    });
  try {
    assert.equal((await api.request('DELETE', inDefault('services/orch'))).status, 200);
    const keepers = [keeper(0), keeper(1)];
    await Promise.all(keepers.map((one) => one.start()));
    await Promise.all(keepers.map((one) => one.stop()));
    assert.equal((await api.request('GET', inDefault('services/orch'))).body.spec.clusterIP, '10.0.0.1');
    assert.deepEqual(told, []);
  } finally {
    await api.close();
  }
});

test('ranges that make no sense are refused at the start', async () => {
  await assert.rejects(startTestServer({ services: { clusterIps: ['10.0.0.0/24', '10.1.0.0/24'] } }), /one of each family/);
  assert.throws(() => settleServices({ nodePorts: [5, 4] }), /node ports/);
});

test('several servers on one store: the living stand behind the service, one that leaves goes at once, one that breaks down in time', async () => {
  const clock = new TurnedClock();
  const api = await startTestServer({ controllers: 'none' });
  const engine = await openEngine('memory://', { clock });
  const keeper = (ip: string): DefaultService =>
    new DefaultService({
      loopback: (request) => api.server.exchange({ ...request, headers: { ...request.headers, authorization: 'Bearer admintoken' } }),
      brand: brandOf('orch'),
      clock: systemClock,
      log: silentLog,
      clusterIp: '10.0.0.1',
      address: { ip, port: 6443 },
      leases: new ServingLeases(engine, clock, '/masterleases/'),
    });
  try {
    const [first, second, third] = [keeper('192.0.2.1'), keeper('192.0.2.2'), keeper('192.0.2.3')];
    await first.start();
    await second.start();
    await third.start();
    assert.deepEqual(await addresses(api), ['192.0.2.1', '192.0.2.2', '192.0.2.3']);
    await second.stop();
    assert.deepEqual(await addresses(api), ['192.0.2.1', '192.0.2.3']);
    // Nobody renews any longer; then the first comes back.
    clock.turn(16_000);
    await keeper('192.0.2.1').start();
    assert.deepEqual(await addresses(api), ['192.0.2.1']);
    await third.stop();
    await first.stop();
    assert.deepEqual(await addresses(api), ['192.0.2.1'], 'the last one stays until another comes');
    const { body: slice } = await api.request('GET', '/apis/discovery.orch.io/v1/namespaces/default/endpointslices/orch');
    assert.deepEqual(slice.endpoints.map((one: { addresses: string[] }) => one.addresses), [['192.0.2.1']]);
  } finally {
    await api.close();
    await engine.close();
  }
});

test('several servers with different ports: that of the last one that started stands, and none takes it back', async () => {
  const clocks = [new TurnedClock(), new TurnedClock()] as const;
  const api = await startTestServer({ controllers: 'none' });
  const engine = await openEngine('memory://', { clock: systemClock });
  const leases = new ServingLeases(engine, systemClock, '/masterleases/');
  const keeper = (ip: string, port: number, clock: Clock): DefaultService =>
    new DefaultService({
      loopback: (request) => api.server.exchange({ ...request, headers: { ...request.headers, authorization: 'Bearer admintoken' } }),
      brand: brandOf('orch'),
      clock,
      log: silentLog,
      clusterIp: '10.0.0.1',
      address: { ip, port },
      leases,
    });
  const ports = async (): Promise<readonly unknown[]> => {
    const { body } = await api.request('GET', inDefault('endpoints/orch'));
    const { body: slice } = await api.request('GET', '/apis/discovery.orch.io/v1/namespaces/default/endpointslices/orch');
    return [body.subsets[0].ports[0].port, slice.ports[0].port];
  };
  try {
    const [first, second] = [keeper('192.0.2.1', 6443, clocks[0]), keeper('192.0.2.2', 7443, clocks[1])];
    await first.start();
    await second.start();
    assert.deepEqual(await ports(), [7443, 7443]);
    clocks[0].turn(10_000);
    // Waits for the round that its clock has begun.
    await first.stop();
    assert.deepEqual(await ports(), [7443, 7443]);
    await second.stop();
    await keeper('192.0.2.1', 6443, clocks[0]).start();
    assert.deepEqual(await ports(), [6443, 6443]);
    assert.deepEqual(await addresses(api), ['192.0.2.1']);
  } finally {
    await api.close();
    await engine.close();
  }
});

test('a server that moves to an address of the other family has a slice of that family', async () => {
  const api = await startTestServer({ controllers: 'none' });
  const failures: unknown[] = [];
  const log = { ...silentLog, warn: (message: string, fields?: object) => void failures.push([message, fields]) };
  const startAt = async (ip: string): Promise<void> => {
    const loopback = (request: Parameters<typeof api.server.exchange>[0]) => api.server.exchange({ ...request, headers: { ...request.headers, authorization: 'Bearer admintoken' } });
    const service = new DefaultService({ loopback, brand: brandOf('orch'), clock: systemClock, log, clusterIp: '10.0.0.1', address: { ip, port: 6443 } });
    await service.start();
    await service.stop();
  };
  try {
    for (const [ip, addressType] of [['192.0.2.1', 'IPv4'], ['2001:db8::1', 'IPv6'], ['192.0.2.1', 'IPv4']] as const) {
      await startAt(ip);
      const { body: slice } = await api.request('GET', '/apis/discovery.orch.io/v1/namespaces/default/endpointslices/orch');
      assert.deepEqual([slice.addressType, slice.endpoints], [addressType, [{ addresses: [ip], conditions: { ready: true } }]]);
      assert.deepEqual(await addresses(api), [ip]);
    }
    assert.deepEqual(failures, []);
  } finally {
    await api.close();
  }
});

test('labels that somebody removed come back: without them the endpoints would be mirrored once more', async () => {
  const clock = new TurnedClock();
  const api = await startTestServer({ controllers: 'none' });
  const service = new DefaultService({
    loopback: (request) => api.server.exchange({ ...request, headers: { ...request.headers, authorization: 'Bearer admintoken' } }),
    brand: brandOf('orch'),
    clock,
    log: silentLog,
    clusterIp: '10.0.0.1',
    address: { ip: '192.0.2.1', port: 6443 },
  });
  const paths = [inDefault('endpoints/orch'), '/apis/discovery.orch.io/v1/namespaces/default/endpointslices/orch'];
  const labels = (): Promise<readonly unknown[]> => Promise.all(paths.map(async (path) => (await api.request('GET', path)).body.metadata.labels));
  try {
    await service.start();
    const [endpoints, slice] = (await labels()) as readonly object[];
    assert.deepEqual(endpoints, { 'endpointslice.orch.io/skip-mirror': 'true' });
    for (const path of paths) {
      const { body } = await api.request('GET', path);
      await api.request('PUT', path, { ...body, metadata: { ...body.metadata, labels: { mine: 'stays' } } });
    }
    clock.turn(10_000);
    // Waits for the round that the clock has begun.
    await service.stop();
    assert.deepEqual(await labels(), [{ ...endpoints, mine: 'stays' }, { ...slice, mine: 'stays' }]);
  } finally {
    await api.close();
  }
});

test('a server that leaves while it looks after the service stands behind it no more', async () => {
  const clock = new TurnedClock();
  const api = await startTestServer({ controllers: 'none' });
  const engine = await openEngine('memory://', { clock });
  const leases = new ServingLeases(engine, clock, '/masterleases/');
  let held: Deferred<void> | undefined;
  const reached = deferred<void>();
  let asked = 0;
  const service = new DefaultService({
    loopback: async (request) => {
      asked++;
      if (held !== undefined) reached.resolve();
      await held?.promise;
      return api.server.exchange({ ...request, headers: { ...request.headers, authorization: 'Bearer admintoken' } });
    },
    brand: brandOf('orch'),
    clock,
    log: silentLog,
    clusterIp: '10.0.0.1',
    address: { ip: '192.0.2.1', port: 6443 },
    leases,
  });
  try {
    await leases.renew('192.0.2.2');
    await service.start();
    assert.deepEqual(await addresses(api), ['192.0.2.1', '192.0.2.2']);
    held = deferred();
    clock.turn(10_000);
    await reached.promise;
    const stopped = service.stop();
    // Whatever else it does first.
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    held.resolve();
    await stopped;
    const askedByThen = asked;
    clock.turn(10_000);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
    assert.equal(asked, askedByThen, 'it goes on');
    await leases.renew('192.0.2.2');
    assert.deepEqual(await leases.serving(), ['192.0.2.2']);
    assert.deepEqual(await addresses(api), ['192.0.2.2']);
  } finally {
    await api.close();
    await engine.close();
  }
});

test('a kube-apiserver on the same etcd counts among the living, and finds this server by what it has stored', async () => {
  const engine = await openEngine('memory://');
  const leases = new ServingLeases(engine, systemClock, '/masterleases/');
  const foreign = { kind: 'Endpoints', apiVersion: 'v1', metadata: { generation: 7 }, subsets: [{ addresses: [{ ip: '192.0.2.7' }] }] };
  try {
    await engine.commit({ key: '/masterleases/192.0.2.7', expect: 0, value: new TextEncoder().encode(JSON.stringify(foreign)) });
    await leases.renew('192.0.2.1');
    assert.deepEqual(await leases.serving(), ['192.0.2.1', '192.0.2.7']);
    const own = JSON.parse(new TextDecoder().decode((await engine.get('/masterleases/192.0.2.1'))?.value)) as typeof foreign;
    assert.deepEqual([own.kind, own.apiVersion, own.subsets], ['Endpoints', 'v1', [{ addresses: [{ ip: '192.0.2.1' }] }]]);
  } finally {
    await engine.close();
  }
});

async function addresses({ request }: TestServer): Promise<readonly string[]> {
  const { body } = await request('GET', inDefault('endpoints/orch'));
  return body.subsets.flatMap((subset: { addresses: { ip: string }[] }) => subset.addresses.map(({ ip }) => ip));
}
