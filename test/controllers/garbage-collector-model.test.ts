import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { TurnedClock, type TestJson } from '#testing';
import { Cluster } from './cluster.ts';

const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;
type Policy = (typeof POLICIES)[number];

/** Who is there, and whom each one names as owner. */
type World = ReadonlyMap<string, ReadonlySet<string>>;

/** An object names older ones only, by their place. */
const OBJECTS = fc.array(fc.array(fc.record({ back: fc.integer({ min: 1, max: 6 }), isBlocking: fc.boolean() }), { maxLength: 3 }), { minLength: 2, maxLength: 10 });
const DELETIONS = fc.array(fc.record({ place: fc.nat(9), policy: fc.constantFrom(...POLICIES) }), { minLength: 1, maxLength: 4 });

/** What the world comes to when one object is deleted and everything has followed. */
function without(world: World, name: string, policy: Policy): World {
  const next = new Map([...world].map(([one, owners]) => [one, new Set(owners)]));
  next.delete(name);
  if (policy === 'Orphan') for (const owners of next.values()) owners.delete(name);
  for (;;) {
    const doomed = [...next].filter(([, owners]) => owners.size > 0 && [...owners].every((owner) => !next.has(owner)));
    if (doomed.length === 0) break;
    for (const [one] of doomed) next.delete(one);
  }
  // Who stays forgets those who are gone.
  for (const owners of next.values()) for (const owner of owners) if (!next.has(owner)) owners.delete(owner);
  return next;
}

const show = (world: World): string => [...world].map(([name, owners]) => `${name}(${[...owners].sort().join(' ')})`).sort().join(' ');

describe('garbage collection against a model', () => {
  let cluster: Cluster;
  let count = 0;
  before(async () => {
    cluster = await Cluster.start({ clock: new TurnedClock(), controllers: 'garbagecollector', aggregateRoles: false });
  });
  after(() => cluster.server.close());

  const ownersOf = ({ metadata }: TestJson): Set<string> => new Set((metadata.ownerReferences ?? []).map(({ name }: { readonly name: string }) => name));

  /** Waits until the namespace looks like this, and sees that it stays so. */
  async function becomes(namespace: string, wanted: World): Promise<void> {
    const path = cluster.path(`${namespace}/configmaps`);
    const { items, metadata } = await cluster.ask('GET', path);
    const seen = new Map((items as TestJson[]).map((one) => [one.metadata.name as string, ownersOf(one)]));
    const watch = await cluster.server.watch(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}`);
    while (show(seen) !== show(wanted)) {
      const [{ type, object }] = await watch.next(1);
      if (type === 'DELETED') seen.delete(object.metadata.name as string);
      else seen.set(object.metadata.name as string, ownersOf(object));
      for (const name of wanted.keys()) assert.ok(seen.has(name), `${name} went, and should have stayed: ${show(wanted)}`);
    }
    await watch.stop();
    await cluster.collectorHasSeenAll();
    const after_ = (await cluster.ask('GET', path)).items as TestJson[];
    assert.equal(show(new Map(after_.map((one) => [one.metadata.name as string, ownersOf(one)]))), show(wanted));
  }

  test('whoever goes takes with it exactly those whom nobody else holds', () =>
    fc.assert(
      fc.asyncProperty(OBJECTS, DELETIONS, async (objects, deletions) => {
        const namespace = `world-${++count}`;
        await cluster.make('namespaces', { name: namespace });
        const made: TestJson[] = [];
        let world: World = new Map();
        for (const [place, owners] of objects.entries()) {
          const chosen = new Map(owners.filter(({ back }) => back <= place).map(({ back, isBlocking }) => [place - back, isBlocking]));
          const ownerReferences = [...chosen].map(([at, isBlocking]) => cluster.ownedBy(made[at] as TestJson, { blockOwnerDeletion: isBlocking }));
          made.push(await cluster.make(`${namespace}/configmaps`, { name: `o${place}`, ownerReferences }));
          world = new Map([...world, [`o${place}`, new Set([...chosen.keys()].map((at) => `o${at}`))]]);
        }
        for (const { place, policy } of deletions) {
          const name = `o${place}`;
          if (!world.has(name)) continue;
          await cluster.delete(`${namespace}/configmaps`, name, { propagationPolicy: policy });
          world = without(world, name, policy);
          await becomes(namespace, world);
        }
      }),
      { numRuns: 25 },
    ));
});
