import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '#base';
import type { ApiObject } from '#api';
import { ApiError } from '#errors';
import { Service } from '#kinds';
import { createObjectStore, openEngine, type Engine, type ObjectStore } from '#storage';
import { encodeForStorage } from '../stored-form.ts';
import { Allocator } from './allocator.ts';
import { ClusterIps } from './cluster-ip.ts';
import { RangeRecords, type RangeRecordsOptions } from './range-records.ts';

type Spec = Service['spec'];
const service = (name: string, spec: Spec): Service => ({ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'n' }, spec, status: { loadBalancer: {} } });
const allocating = Service.allocating!;
const allocatorOn = (records: RangeRecords): Allocator => new Allocator(records, { group: '', kind: Service }, allocating);
const held: RangeRecordsOptions['held'] = (object) => allocating.held(object as Service);

const engine = await openEngine('memory://', { historySeconds: 60, clock: systemClock });
let places = 0;

interface Place {
  readonly range?: string;
  readonly ranges?: readonly string[];
  readonly ports?: readonly [number, number];
  /** Servers that name the same place share its records. */
  readonly place?: number;
  readonly store?: ObjectStore;
  /** What happens once the services have been listed. */
  readonly listed?: () => Promise<void>;
}

/** Records over these stored services; only listing is asked of them. */
function recordsOver(stored: readonly ApiObject[], { range = '10.0.0.0/29', ranges = [range], ports = [30_000, 30_003], place = places++, store = storeOf(engine), listed }: Place = {}): RangeRecords {
  const list = async (): Promise<object> => {
    const items = stored.map((object) => ({ object }));
    await listed?.();
    return { items, revision: 1 };
  };
  const holders = { list } as unknown as ObjectStore;
  return new RangeRecords({ ranges: { clusterIps: ranges, nodePorts: ports }, store, keyOf: (name) => `/ranges/${place}/${name}`, holders, holdersPrefix: '/services/', held });
}

const storeOf = (over: Engine): ObjectStore =>
  createObjectStore({ engine: over, clock: systemClock, prefix: '/ranges/', kindCodec: { encode: encodeForStorage, select: () => ({}) } });

const reserveOver = (stored: readonly ApiObject[], place: Place = {}): Allocator => allocatorOn(recordsOver(stored, place));

test('ClusterIps: the first and the last address of a block are nobody\'s', () => {
  const ips = new ClusterIps('10.0.0.0/30');
  assert.match(ips.refusal('10.0.0.0') ?? '', /not in the valid range/);
  assert.match(ips.refusal('10.0.0.3') ?? '', /not in the valid range/);
  assert.match(ips.refusal('192.0.2.1') ?? '', /not in the valid range/);
  assert.deepEqual(new Set([ips.allocateNext(), ips.allocateNext()]), new Set(['10.0.0.1', '10.0.0.2']));
  assert.equal(ips.allocateNext(), undefined);
  assert.equal(ips.refusal('10.0.0.1'), 'provided IP is already allocated');
});

test('ClusterIps: an address is one address, also in the form of IPv6', () => {
  const ips = new ClusterIps('10.0.0.0/29');
  assert.equal(ips.allocate('10.0.0.2'), true);
  assert.deepEqual(['::ffff:10.0.0.2', '::ffff:a00:2'].map((text) => ips.refusal(text)), ['provided IP is already allocated', 'provided IP is already allocated']);
  assert.equal(ips.allocate('::ffff:10.0.0.3'), true);
  assert.equal(ips.refusal('10.0.0.3'), 'provided IP is already allocated');
  ips.release('::ffff:10.0.0.2');
  assert.equal(ips.refusal('10.0.0.2'), undefined);
});

test('Allocator: nobody gets an address that somebody has, however it is spelled', async () => {
  const allocator = reserveOver([service('a', { type: 'ClusterIP', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 80 }] })]);
  const next = service('b', { type: 'ClusterIP', clusterIP: '::ffff:10.0.0.2', clusterIPs: ['::ffff:10.0.0.2'], ports: [{ port: 80 }] });
  await assert.rejects(allocator.allocate(next, undefined, false), /already allocated/);
});

test('ClusterIps: only blocks with room are taken', () => {
  for (const range of ['bad', '10.0.0.0/31', '10.0.0.0/11', '2001:db8::/127']) assert.throws(() => new ClusterIps(range), /service range/);
});

test('Allocator: what is stored is taken, after a restart too', async () => {
  const allocator = reserveOver([service('a', { type: 'NodePort', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 80, nodePort: 30_001 }] })]);
  const next = service('b', { type: 'NodePort', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 80 }] });
  await assert.rejects(allocator.allocate(next, undefined, false), (cause) => cause instanceof ApiError && cause.details?.causes?.[0]?.field === 'spec.clusterIPs');
  const port = service('c', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] });
  await assert.rejects(allocator.allocate(port, undefined, false), (cause) => cause instanceof ApiError && cause.details?.causes?.[0]?.field === 'spec.ports[0].nodePort');
});

test('Allocator: an address is refused to a service of an unknown type, too', async () => {
  const allocator = reserveOver([service('a', { type: 'ClusterIP', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 80 }] })]);
  const next = (type: string): Service => service('b', { type, clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 80 }] });
  await assert.rejects(allocator.allocate(next('Bogus'), undefined, false), /already allocated/);
  await allocator.allocate(next('ExternalName'), undefined, false);
});

test('Allocator: of two families only the addresses that were named are shown', async () => {
  const allocator = reserveOver([], { ranges: ['10.0.0.0/29', 'fd00::/125'] });
  const wanted = { type: 'ClusterIP', clusterIP: '192.0.2.1', clusterIPs: ['192.0.2.1'], ipFamilies: ['IPv4', 'IPv6'] };
  await assert.rejects(allocator.allocate(service('a', wanted), undefined, false), /Invalid value: \[\]string\{"192\.0\.2\.1", ""\}: failed to allocate IP 192\.0\.2\.1/);
});

test('Allocator: a write that fails gives everything back, a dry-run takes nothing', async () => {
  const allocator = reserveOver([], { range: '10.0.0.0/30', ports: [30_000, 30_001] });
  for (let round = 0; round < 10; round++) {
    const giveBack = await allocator.allocate(service('a', { type: 'NodePort', ports: [{ port: 80 }, { port: 81 }] }), undefined, round % 2 === 0);
    await giveBack();
  }
  const next = service('a', { type: 'NodePort', ports: [{ port: 80 }, { port: 81 }] });
  await allocator.allocate(next, undefined, false);
  assert.deepEqual(new Set(next.spec.ports?.map(({ nodePort }) => nodePort)), new Set([30_000, 30_001]));
});

test('Allocator: a dry-run asks of a port only whether somebody else has it', async () => {
  const allocator = reserveOver([]);
  const withPort = (nodePort: number): ReturnType<typeof service> => service('a', { type: 'NodePort', ports: [{ port: 80, nodePort }] });
  await allocator.allocate(withPort(2), undefined, true);
  await allocator.allocate(withPort(30_001), undefined, false);
  for (const [port, isDryRun] of [[2, false], [30_001, true]] as const) {
    await assert.rejects(allocator.allocate(withPort(port), undefined, isDryRun), (cause) => cause instanceof ApiError && cause.details?.causes?.[0]?.field === 'spec.ports[0].nodePort');
  }
});

test('Allocator: an address of a family that is not there is left for validation to refuse', async () => {
  const next = service('a', { clusterIP: 'fd00::1', clusterIPs: ['fd00::1'], ports: [{ port: 80 }] });
  await reserveOver([]).allocate(next, undefined, false);
  assert.deepEqual(next.spec.clusterIPs, ['fd00::1']);
});

test('Allocator: addresses that do not go together, and families that cannot be had, allocate nothing', async () => {
  const rows: readonly Spec[] = [
    { clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.3'] },
    { clusterIP: '10.0.0.2' },
    { clusterIPs: ['10.0.0.2'] },
    { clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2', 'x'] },
    { clusterIP: 'x', clusterIPs: ['x'] },
    { ipFamilies: ['IPv6'] },
    { ipFamilies: ['IPv4', 'IPv4'] },
    { clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ipFamilies: ['IPv4', 'IPv6'] },
  ];
  for (const row of rows) {
    const records = recordsOver([]);
    const spec = { type: 'NodePort', ports: [{ port: 80 }], ...row };
    const next = service('a', structuredClone(spec));
    await allocatorOn(records).allocate(next, undefined, false);
    assert.deepEqual(next.spec, spec);
    assert.deepEqual(await records.read(({ clusterIps, nodePorts }) => [...clusterIps.flatMap((pool) => [...pool.allocated()]), ...nodePorts.allocated()]), [], JSON.stringify(row));
  }
});

test('Allocator: two protocols of a port share a number', async () => {
  const next = service('a', { type: 'NodePort', ports: [{ port: 53, protocol: 'TCP' }, { port: 53, protocol: 'UDP' }] });
  await reserveOver([]).allocate(next, undefined, false);
  assert.equal(next.spec.ports?.[0]?.nodePort, next.spec.ports?.[1]?.nodePort);
});

test('Allocator: a new service may not name one number for two ports; one that is there may, but not twice for a protocol', async () => {
  const ports = (second: string) => [{ port: 80, protocol: 'TCP', nodePort: 30_001 }, { port: 81, protocol: second, nodePort: 30_001 }];
  const fieldOf = (cause: unknown): unknown => (cause instanceof ApiError ? cause.details?.causes?.[0]?.field : undefined);
  for (const isDryRun of [true, false]) {
    const fresh = reserveOver([]).allocate(service('a', { type: 'NodePort', ports: ports('UDP') }), undefined, isDryRun);
    await assert.rejects(fresh, (cause) => fieldOf(cause) === 'spec.ports[1].nodePort');
  }
  const live = service('a', { type: 'ClusterIP', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 80 }] });
  const retyped = (second: string): Service => service('a', { ...live.spec, type: 'NodePort', ports: ports(second) });
  await reserveOver([live]).allocate(retyped('UDP'), live, false);
  await assert.rejects(reserveOver([live]).allocate(retyped('TCP'), live, false), /duplicate nodePort/);
});

test('Allocator: in a service that is there each new port gets its own number', async () => {
  const live = service('a', { type: 'ClusterIP', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 53 }] });
  const next = service('a', { ...live.spec, type: 'NodePort', ports: [{ port: 53, protocol: 'TCP' }, { port: 53, protocol: 'UDP' }] });
  await reserveOver([live]).allocate(next, live, false);
  assert.notEqual(next.spec.ports?.[0]?.nodePort, next.spec.ports?.[1]?.nodePort);
});

test('Allocator: a port that is left to the server is none that the service names for another, in a dry-run neither', async () => {
  const named = service('a', { type: 'NodePort', ports: [{ port: 80 }, { port: 81, nodePort: 30_000 }, { port: 82, nodePort: 30_001 }] });
  const checked = service('a', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_000, ports: [{ port: 80 }, { port: 81, nodePort: 30_001 }] });
  const live = service('a', { type: 'ClusterIP', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 80 }] });
  for (const wanted of [named, checked]) {
    for (const before of [undefined, live]) {
      for (const isDryRun of [true, false]) {
        const next = structuredClone(wanted);
        if (before !== undefined) Object.assign(next.spec, { clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'] });
        await reserveOver(before === undefined ? [] : [before], { ports: [30_000, 30_002] }).allocate(next, before, isDryRun);
        assert.equal(next.spec.ports?.[0]?.nodePort, 30_002);
      }
    }
  }
});

test('Allocator: the port of a health check is no port of the service itself, and one that is taken is not the fault of the client', async () => {
  const spec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 80, nodePort: 30_001 }], healthCheckNodePort: 30_002 };
  const live = service('a', spec);
  const shared = service('a', { ...spec, ports: [{ port: 80, nodePort: 30_002 }] });
  await assert.rejects(reserveOver([live]).allocate(shared, live, false), (cause) => cause instanceof ApiError && cause.reason === 'Invalid');
  const other = service('b', { ...spec, clusterIP: '', clusterIPs: [], ports: [{ port: 80 }] });
  await assert.rejects(reserveOver([live]).allocate(other, undefined, false), (cause) => cause instanceof ApiError && cause.reason === 'InternalError');
});

test('Allocator: a balancer that has no ports chosen has those it names alone, and one that is local gets a port for health checks', async () => {
  const ports = [{ port: 80 }, { port: 81, nodePort: 30_001 }];
  for (const isDryRun of [false, true]) {
    const next = service('a', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: structuredClone(ports) });
    await reserveOver([]).allocate(next, undefined, isDryRun);
    assert.deepEqual(next.spec.ports, ports);
    const local = service('b', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: structuredClone(ports), externalTrafficPolicy: 'Local' });
    const allocator = reserveOver([]);
    await allocator.allocate(local, undefined, isDryRun);
    const { healthCheckNodePort: health = 0 } = local.spec;
    assert.ok(health >= 30_000 && health <= 30_003 && health !== 30_001, String(health));
    const taken = allocator.allocate(service('c', { type: 'NodePort', ports: [{ port: 80, nodePort: health }] }), undefined, false);
    if (isDryRun) await taken;
    else await assert.rejects(taken, /already allocated/);
  }
});

test('Allocator: where nothing is left there is nothing to have, for a dry-run neither, and it is nobody\'s fault', async () => {
  const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', allocateLoadBalancerNodePorts: false };
  const allocator = reserveOver([], { range: '10.0.0.0/29', ports: [30_000, 30_001] });
  const refused = (spec: Spec, why: RegExp, isDryRun = false): Promise<void> =>
    assert.rejects(allocator.allocate(service('z', spec), undefined, isDryRun), (cause) => cause instanceof ApiError && cause.reason === 'InternalError' && why.test(cause.message));
  await allocator.allocate(service('a', { type: 'NodePort', ports: [{ port: 80 }, { port: 81 }] }), undefined, false);
  for (const isDryRun of [false, true]) {
    await refused({ type: 'NodePort', ports: [{ port: 80 }] }, /failed to allocate a nodePort: range is full/, isDryRun);
    await refused({ ...local, ports: [{ port: 80 }] }, /HealthCheck NodePort 0: range is full/, isDryRun);
  }
  for (let at = 1; at < 6; at++) await allocator.allocate(service(`b${at}`, { type: 'ClusterIP' }), undefined, false);
  for (const isDryRun of [false, true]) await refused({ type: 'ClusterIP' }, /failed to allocate a serviceIP: range is full/, isDryRun);
});

test('Allocator: of several values that somebody has, the first is told: the address, then a port, then that of the health check', async () => {
  const taken = { clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 80, nodePort: 30_001 }] };
  const allocator = reserveOver([service('a', { type: 'NodePort', ...taken })]);
  const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_001 };
  const fields = async (spec: Spec): Promise<unknown> => {
    const cause: unknown = await allocator.allocate(service('b', spec), undefined, false).then(() => undefined, (refusal: unknown) => refusal);
    return cause instanceof ApiError ? cause.details?.causes?.map(({ field }) => field) : cause;
  };
  assert.deepEqual(await fields({ ...local, ...taken }), ['spec.clusterIPs']);
  assert.deepEqual(await fields({ ...local, ports: [{ port: 81 }, ...taken.ports] }), ['spec.ports[1].nodePort']);
  // That it may not name one is for validation to say.
  assert.equal(await fields({ type: 'ClusterIP', ports: taken.ports }), undefined);
});

test('Allocator: a service that was stored before there were lists keeps its address, and nobody else gets it', async () => {
  const old = service('old', { type: 'ClusterIP', clusterIP: '10.0.0.2', ports: [{ port: 80 }] });
  const allocator = reserveOver([old]);
  const taken = service('b', { type: 'ClusterIP', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 80 }] });
  await assert.rejects(allocator.allocate(taken, undefined, false), /already allocated/);
  const written = service('old', { type: 'ClusterIP', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 81 }] });
  await allocator.allocate(written, old, false);
  assert.deepEqual(written.spec.clusterIPs, ['10.0.0.2']);
  await allocator.release(old, written);
  await assert.rejects(allocator.allocate(taken, undefined, false), /already allocated/);
});

test('Allocator: a service made without an address stays without, and whose another is, is not asked', async () => {
  const live = service('a', { type: 'ClusterIP', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 80 }] });
  const allocator = reserveOver([live]);
  const next = (): Service => service('b', { type: 'ClusterIP', clusterIP: '10.0.0.2', clusterIPs: ['10.0.0.2'], ports: [{ port: 80 }] });
  for (const isDryRun of [true, false]) await assert.rejects(allocator.allocate(next(), undefined, isDryRun));
  const headless = service('b', { type: 'ClusterIP', clusterIP: 'None', clusterIPs: ['None'], ports: [{ port: 80 }] });
  await allocator.allocate(next(), headless, false);
});

type Step = { readonly is: 'create'; readonly type: string; readonly fails: boolean } | { readonly is: 'retype'; readonly type: string } | { readonly is: 'delete' };
const type = fc.constantFrom('ClusterIP', 'NodePort', 'ExternalName');
const steps = fc.array(
  fc.oneof(
    fc.record({ is: fc.constant('create' as const), type, fails: fc.boolean() }),
    fc.record({ is: fc.constant('retype' as const), type }),
    fc.record({ is: fc.constant('delete' as const) }),
  ),
  { maxLength: 40, size: 'max' },
);

/** What the kind's own preparation does when the type changes. */
function bare(spec: Spec, to: string): Spec {
  if (to === 'ExternalName') return { type: to };
  const { clusterIP, clusterIPs, ports } = spec;
  const kept = clusterIP === undefined || clusterIPs === undefined ? {} : { clusterIP, clusterIPs };
  return { type: to, ...kept, ports: to === 'NodePort' && ports !== undefined ? ports.map((port) => ({ ...port })) : [{ port: 80 }] };
}

test('Allocator: whatever happens, nothing is held twice and nothing is lost', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list: readonly Step[]) => {
      const allocator = reserveOver([]);
      const alive: Service[] = [];
      for (const [at, step] of list.entries()) {
        await perform(allocator, alive, step, `s${at}`);
        const ips = alive.flatMap(({ spec }) => spec.clusterIPs ?? []);
        const ports = alive.flatMap(({ spec }) => (spec.ports ?? []).flatMap(({ nodePort }) => nodePort ?? []));
        assert.equal(new Set(ips).size, ips.length);
        assert.equal(new Set(ports).size, ports.length);
      }
      for (const one of alive) await allocator.release(one, undefined);
      for (let all = 0; all < 6; all++) await allocator.allocate(service(`t${all}`, { type: 'ClusterIP' }), undefined, false);
    }),
    { numRuns: 200 },
  );
});

async function perform(allocator: Allocator, alive: Service[], step: Step, name: string): Promise<void> {
  const [first] = alive;
  if (step.is === 'delete') {
    alive.shift();
    await allocator.release(first, undefined);
    return;
  }
  const live = step.is === 'retype' ? first : undefined;
  if (step.is === 'retype' && live === undefined) return;
  const next = service(live?.metadata.name ?? name, bare(live?.spec ?? {}, step.type));
  try {
    const giveBack = await allocator.allocate(next, live, false);
    if (step.is === 'create' && step.fails) {
      await giveBack();
      return;
    }
    await allocator.release(live, next);
    if (live !== undefined) alive.shift();
    alive.push(next);
  } catch (cause) {
    assert.ok(cause instanceof ApiError, String(cause));
  }
}

test('ClusterIps: IPv6 addresses are written in their short form, and those of the block are known', () => {
  const ips = new ClusterIps('fd00:0:0:1::/112');
  assert.equal(ips.first, 'fd00:0:0:1::1');
  const ip = ips.allocateNext() ?? '';
  assert.equal(ips.refusal(ip), 'provided IP is already allocated');
  assert.match(ips.refusal('fd00:0:0:2::1') ?? '', /not in the valid range/);
  assert.match(ips.refusal('fd00:0:0:1::') ?? '', /not in the valid range/);
  assert.equal(ips.allocate('fd00:0:0:1:0:0:0:ffff'), true);
  assert.deepEqual(new Set(ips.allocated()), new Set([ip, 'fd00:0:0:1::ffff']));
  const rows = [
    ['fd00:1:2:3:4:5:6:0/112', 'fd00:1:2:3:4:5:6:1'],
    ['fd00:0:2:3:4:5:6:0/112', 'fd00:0:2:3:4:5:6:1'],
    ['fd00:0:0:1:0:0:0:0/112', 'fd00:0:0:1::1'],
    ['fd00:0:0:1:2:0:0:100/120', 'fd00::1:2:0:0:101'],
  ];
  for (const [range = '', first] of rows) assert.equal(new ClusterIps(range).first, first);
});

test('Allocator: two families get an address of each, and give the second one back', async () => {
  const allocator = reserveOver([], { ranges: ['10.0.0.0/29', 'fd00::/125'] });
  const next = service('a', { type: 'ClusterIP', ipFamilies: ['IPv6', 'IPv4'] });
  await allocator.allocate(next, undefined, false);
  assert.match(next.spec.clusterIPs?.join(' ') ?? '', /^fd00::\S+ 10\.0\.0\.\d$/);
  assert.equal(next.spec.clusterIP, next.spec.clusterIPs?.[0]);
  const [first = '', second = ''] = next.spec.clusterIPs ?? [];
  const single = service('a', { type: 'ClusterIP', ipFamilies: ['IPv6'], clusterIP: first, clusterIPs: [first] });
  await allocator.allocate(single, next, false);
  await allocator.release(next, single);
  await allocator.allocate(service('b', { type: 'ClusterIP', clusterIP: second, clusterIPs: [second] }), undefined, false);
  const wider = service('a', { type: 'ClusterIP', ipFamilies: ['IPv6', 'IPv4'], clusterIP: first, clusterIPs: [first] });
  await allocator.allocate(wider, single, false);
  assert.equal(wider.spec.clusterIPs?.[0], first);
  assert.notEqual(wider.spec.clusterIPs?.[1], second);
});

test('RangeRecords: servers that share a store never give the same value to two services', async () => {
  const place = places++;
  const servers = [0, 1, 2].map(() => reserveOver([], { range: '10.0.0.0/26', ports: [30_000, 30_063], place }));
  const made = await Promise.all(
    Array.from({ length: 60 }, async (_, at) => {
      const next = service(`s${at}`, { type: 'NodePort', ports: [{ port: 80 }] });
      await servers[at % servers.length]?.allocate(next, undefined, false);
      return next.spec;
    }),
  );
  assert.equal(new Set(made.map(({ clusterIP }) => clusterIP)).size, 60);
  assert.equal(new Set(made.map(({ ports }) => ports?.[0]?.nodePort)).size, 60);
  const counts = await recordsOver([], { range: '10.0.0.0/26', ports: [30_000, 30_063], place }).read(({ recorded }) => recorded.map(({ pool }) => [...pool.allocated()].length));
  assert.deepEqual(counts, [60, 60], 'an attempt that somebody else was faster than leaves nothing behind');
});

test('RangeRecords: who is not the first with a port keeps no address either', async () => {
  const place = places++;
  const withPort = (name: string): Service => service(name, { type: 'NodePort', ports: [{ port: 80, nodePort: 30_002 }] });
  const store = storeOf(engine);
  let isFirst = true;
  const overtaken: ObjectStore = {
    ...store,
    get: (key, freshness) => store.get(key, freshness),
    write: async (key, decide, hints) => {
      if (key.endsWith('/servicenodeports') && isFirst) {
        isFirst = false;
        await reserveOver([], { place }).allocate(withPort('rival'), undefined, false);
      }
      return store.write(key, decide, hints);
    },
  };
  await assert.rejects(reserveOver([], { place, store: overtaken }).allocate(withPort('late'), undefined, false), /already allocated/);
  assert.deepEqual(await recordsOver([], { place }).read(({ recorded }) => recorded.map(({ pool }) => [...pool.allocated()].length)), [1, 1]);
});

test('RangeRecords: repairs free what nobody has, in their third round, and take what somebody has', async () => {
  const kept = service('kept', { type: 'ClusterIP' });
  const stored: ApiObject[] = [];
  const records = recordsOver(stored, { range: '10.0.0.0/29' });
  const allocator = allocatorOn(records);
  await allocator.allocate(kept, undefined, false);
  stored.push(kept);
  // Taken by a server that broke down before it stored the service.
  const lost = service('lost', { type: 'NodePort', ports: [{ port: 80, nodePort: 30_002 }] });
  await allocator.allocate(lost, undefined, false);
  const isTaken = (ip = ''): Promise<boolean> => records.read((pools) => pools.clusterIps[0]?.refusal(ip) !== undefined);
  const portsTaken = (): Promise<readonly number[]> => records.read((pools) => [...pools.nodePorts.allocated()]);
  assert.deepEqual(await portsTaken(), [30_002]);
  assert.deepEqual([await records.repair(), await records.repair(), await isTaken(lost.spec.clusterIP)], [0, 0, true]);
  assert.equal(await records.repair(), 2);
  assert.deepEqual([await isTaken(lost.spec.clusterIP), await isTaken(kept.spec.clusterIP), await portsTaken()], [false, true, []]);
  await records.update((pools) => pools.clusterIps[0]?.release(kept.spec.clusterIP ?? ''));
  assert.equal(await records.repair(), 1);
  assert.equal(await isTaken(kept.spec.clusterIP), true);
});

test('RangeRecords: a repair frees no address that another server has freed and given to a service meanwhile', async () => {
  const place = places++;
  const stored: ApiObject[] = [];
  const other = recordsOver(stored, { place });
  const lost = service('lost', { type: 'ClusterIP' });
  await allocatorOn(other).allocate(lost, undefined, false);
  const ip = lost.spec.clusterIP ?? '';
  const next = service('next', { type: 'ClusterIP', clusterIP: ip, clusterIPs: [ip] });
  let repairs = 0;
  const records = recordsOver(stored, {
    place,
    listed: async () => {
      if (repairs < 3) return;
      for (let round = 0; round < 3; round++) await other.repair();
      await allocatorOn(other).allocate(next, undefined, false);
      stored.push(next);
    },
  });
  while (repairs++ < 3) assert.equal(await records.repair(), 0);
  assert.equal(await other.read((pools) => pools.clusterIps[0]?.refusal(ip)), 'provided IP is already allocated');
});

test('RangeRecords: a repair takes no address of a service that went meanwhile', async () => {
  const place = places++;
  const gone = service('gone', { type: 'ClusterIP' });
  const other = recordsOver([], { place });
  await allocatorOn(other).allocate(gone, undefined, false);
  const records = recordsOver([gone], { place, listed: () => allocatorOn(other).release(gone, undefined) });
  assert.equal(await records.repair(), 0);
  assert.equal(await other.read((pools) => pools.clusterIps[0]?.refusal(gone.spec.clusterIP ?? '')), undefined);
});

test('RangeRecords: repairs never free the address of a service, however it is spelled', async () => {
  const spelled = ['10.0.0.02', '::ffff:10.0.0.3', 'FD00:0:0::5'];
  const stored = spelled.map((ip, at) => service(`s${at}`, { type: 'ClusterIP', clusterIP: ip, clusterIPs: [ip], ipFamilies: [ip.startsWith('F') ? 'IPv6' : 'IPv4'] }));
  const records = recordsOver(stored, { ranges: ['10.0.0.0/29', 'fd00::/120'] });
  for (let round = 0; round < 4; round++) assert.equal(await records.repair(), 0, `repair ${round}`);
  assert.deepEqual(await records.read(({ clusterIps }) => clusterIps.flatMap((pool) => [...pool.allocated()])), ['10.0.0.2', '10.0.0.3', 'fd00::5']);
});

test('RangeRecords: repairs tell of values that several services have, however they spell them, and of those outside of the ranges', async () => {
  const withIp = (name: string, ip: string, ...ports: readonly number[]): ApiObject =>
    service(name, { type: 'NodePort', clusterIP: ip, clusterIPs: [ip], ports: ports.map((nodePort, at) => ({ port: 80 + at, nodePort })) });
  // One service may have a port twice, for two protocols.
  const stored = [withIp('a', '10.0.0.2', 30_001, 30_001), withIp('b', '10.0.0.02', 30_002), withIp('c', '10.0.1.9', 30_002), withIp('d', '10.0.0.3', 29_999)];
  const told: unknown[] = [];
  await recordsOver(stored, { range: '10.0.0.0/29' }).repair((fault) => void told.push([fault.value, fault.holders.map((holder) => holder.split('/')[1])]));
  assert.deepEqual(told, [['10.0.0.2', ['a', 'b']], ['30002', ['b', 'c']], ['10.0.1.9', ['c']], ['29999', ['d']]]);
});

test('RangeRecords: services are looked at once, also where none has a port', async () => {
  const place = places++;
  let looks = 0;
  const holders = { list: () => Promise.resolve({ items: [], revision: ++looks }) } as unknown as ObjectStore;
  const records = new RangeRecords({ store: storeOf(engine), keyOf: (name) => `/ranges/${place}/${name}`, holders, holdersPrefix: '/services/', held });
  for (const name of ['a', 'b', 'c']) await allocatorOn(records).allocate(service(name, { type: 'ClusterIP' }), undefined, false);
  await records.read(() => undefined);
  assert.equal(looks, 1);
});

test('RangeRecords: other ranges begin anew from what services have', async () => {
  const place = places++;
  const first = service('a', { type: 'ClusterIP' });
  await reserveOver([], { place }).allocate(first, undefined, false);
  const moved = recordsOver([service('b', { type: 'ClusterIP', clusterIP: '10.9.0.1', clusterIPs: ['10.9.0.1'] })], { range: '10.9.0.0/24', place });
  assert.deepEqual(await moved.read((pools) => [...(pools.clusterIps[0]?.allocated() ?? [])]), ['10.9.0.1']);
});
