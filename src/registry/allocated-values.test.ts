// The law of addresses and ports, over everything that can become of a write of a service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '#base';
import { ApiError, badRequest } from '#errors';
import { brandOf, createCatalog, objectTypeOf, type ApiObject, type HeldValues } from '#api';
import { Service } from '#kinds';
import { applyDefaults, decode } from '#schema';
import { createKeySpace, createObjectStore, openEngine } from '#storage';
import { RANGE_RECORDS, RangeRecords } from './allocators/range-records.ts';
import { create, openRegistries, remove, update, type Guard } from './index.ts';
import { encodeForStorage } from './stored-form.ts';

const brand = brandOf('orch');
const catalog = createCatalog([Service], brand);
const { resource } = catalog.find('', 'v1', 'services')!;
const type = objectTypeOf(resource.storage.schema);
const heldBy = (object: ApiObject): HeldValues => Service.allocating!.held(object as Service);
/** Little enough for services to be in one another's way. */
const ranges = { clusterIps: ['10.0.0.0/29', 'fd00::/125'], nodePorts: [30_000, 30_007] } as const;

const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const nodePort = maybe(fc.integer({ min: 30_000, max: 30_003 }));
const spec = fc.record({
  type: fc.constantFrom('ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'),
  clusterIP: maybe(fc.constantFrom('None', '10.0.0.2', '10.0.0.03', 'fd00::2')),
  ipFamilyPolicy: maybe(fc.constantFrom('SingleStack', 'PreferDualStack', 'RequireDualStack')),
  ports: fc.array(fc.record({ port: fc.constantFrom(80, 81), protocol: fc.constantFrom('TCP', 'UDP'), nodePort }), { minLength: 1, maxLength: 3 }),
  externalTrafficPolicy: maybe(fc.constantFrom('Local', 'Cluster')),
  healthCheckNodePort: nodePort,
});
const step = fc.record({
  is: fc.constantFrom('create', 'replace', 'change', 'remove'),
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  spec,
  isHeld: fc.boolean(),
  isDryRun: fc.nat(5).map((one) => one === 0),
  isRefused: fc.nat(5).map((one) => one === 0),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What a client sends that asks for no more than its type allows: most of what is made by chance would be refused. */
function sent({ spec: { ports, healthCheckNodePort, externalTrafficPolicy, clusterIP, ipFamilyPolicy, ...given }, name, isHeld }: Step): ApiObject {
  const hasPorts = given.type === 'NodePort' || given.type === 'LoadBalancer';
  const body = {
    ...given,
    ports: ports.map((port, at) => ({ ...port, name: `p${at}`, nodePort: hasPorts ? port.nodePort : undefined })),
    ...(hasPorts ? { externalTrafficPolicy } : {}),
    ...(given.type === 'LoadBalancer' && externalTrafficPolicy === 'Local' ? { healthCheckNodePort } : {}),
    ...(given.type === 'ExternalName' ? { externalName: 'a.example.com' } : { ipFamilyPolicy, clusterIP: hasPorts && clusterIP === 'None' ? undefined : clusterIP }),
  };
  return complete({ apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'n', name, ...(isHeld ? { finalizers: ['example.com/f'] } : {}) }, spec: body });
}

function complete(body: object): ApiObject {
  const object = decode(type, JSON.parse(JSON.stringify(body))) as unknown as ApiObject;
  applyDefaults(type, object);
  return object;
}

test('whatever becomes of writes of services, taken is what services have, each value once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { maxLength: 25, size: 'max' }), async (rounds) => {
      const engine = await openEngine('memory://', { clock: systemClock });
      const of = openRegistries(catalog, engine, systemClock, { ranges }).of(resource);
      const keys = createKeySpace(brand);
      const store = createObjectStore({ engine, clock: systemClock, prefix: keys.prefixOf(RANGE_RECORDS), kindCodec: { encode: encodeForStorage, select: () => ({}) } });
      const records = new RangeRecords({ ranges, store, keyOf: (name) => keys.keyOf({ ...RANGE_RECORDS, namespace: '', name }), holders: of.objects, holdersPrefix: of.prefixOf(''), held: heldBy });

      const write = async (wanted: Step): Promise<unknown> => {
        const key = { namespace: 'n', name: wanted.name };
        const check = async (): Promise<void> => {
          if (wanted.isRefused) throw badRequest('no');
        };
        const guard: Guard = { dryRun: wanted.isDryRun, subresource: '', warn: () => {}, check };
        const object = sent(wanted);
        if (wanted.is === 'remove') return remove(of, key, {}, guard);
        if (wanted.is === 'create') return create(of, object, guard);
        return update(of, key, (live) => (wanted.is === 'replace' || live === undefined ? structuredClone(object) : changed(live, object)), guard);
      };

      for (const round of rounds) {
        await Promise.all(round.map((one) => write(one).catch((cause: unknown) => assert.ok(cause instanceof ApiError, String(cause)))));
        const { items } = await of.objects.list({ prefix: of.prefixOf(''), freshness: 'latest' });
        const held = items.map(({ object }) => heldBy(object));
        const [had, taken] = await records.read((pools) => [
          [...held.flatMap(({ addresses }) => addresses).map((ip) => pools.poolOf(ip)?.canonical(ip)), ...held.flatMap(({ ports }) => ports)],
          [...pools.clusterIps.flatMap((pool) => [...pool.allocated()]), ...pools.nodePorts.allocated()],
        ]);
        assert.deepEqual(had.map(String).sort(), taken.map(String).sort());
      }
      await engine.close();
    }),
    { numRuns: 60 },
  );
});

/** As a patch of the type, of the ports and of the finalizers changes it. */
function changed(live: ApiObject, wanted: ApiObject): ApiObject {
  const { finalizers: _, ...metadata } = live.metadata;
  const { finalizers } = wanted.metadata;
  const { type: to, ports } = (wanted as Service).spec;
  return complete({ ...live, metadata: { ...metadata, ...(finalizers === undefined ? {} : { finalizers }) }, spec: { ...(live as Service).spec, externalName: 'a.example.com', type: to, ports } });
}
