import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, createCatalog, type Follower } from '#api';
import { deferred, nextTurn, silentLog, StillClock } from '#base';
import { CustomResources, type CustomResourcesOptions } from './custom-resources.ts';
import { conditionOf, nameOf, type Definition } from './definition.ts';

const NOW = Date.parse('2024-01-02T03:04:05Z');

const definition = (plural: string, kind: string, group = 'example.com'): Definition =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` }, versions: [{ name: 'v1', served: true, storage: true }] },
    status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
  }) as unknown as Definition;

/** The definitions of a store that hears of each write at once, and refuses one whose definition has changed meanwhile. */
class World {
  /** How often a status was computed: each time, the clock is read once. */
  judged = 0;
  writes = 0;
  told = 0;
  readonly stored = new Map<string, Definition>();
  readonly catalog = createCatalog([], brandOf('kubernetes'));
  /** Writes wait for this. */
  disk: Promise<void> = Promise.resolve();
  readonly timers = new StillClock(NOW);
  #follower: Follower | undefined;

  async start(): Promise<void> {
    const objects = { follow: (_kind: unknown, follower: Follower) => Promise.resolve(void (this.#follower = follower)) };
    const options = {
      catalog: this.catalog,
      objects,
      registries: { of: () => assert.fail('the objects cannot be read') },
      log: { ...silentLog, warn: () => this.told++ },
      clock: { nowMs: () => (this.judged++, NOW), after: (delayMs: number, run: () => void) => this.timers.after(delayMs, run), steady: this.timers },
      write: (one: Definition) => this.disk.then(() => this.stored.get(nameOf(one))?.spec === one.spec && (this.writes++, this.put(one), true)),
    } as unknown as CustomResourcesOptions;
    await new CustomResources(options).start(new AbortController().signal);
  }

  put(one: Definition): void {
    this.stored.set(nameOf(one), one);
    this.#follower?.put(one);
  }

  remove(name: string): void {
    const last = this.stored.get(name);
    this.stored.delete(name);
    if (last !== undefined) this.#follower?.remove({ name, namespace: '' }, last);
  }

  isAccepted(name: string): boolean {
    const one = this.stored.get(name);
    return one !== undefined && conditionOf(one, 'NamesAccepted')?.status === 'True';
  }
}

test('a definition that comes is no work for those of its group that have their names', async () => {
  const world = new World();
  await world.start();
  const count = 50;
  for (let n = 0; n < count; n++) {
    world.put(definition(`things${n}`, `Thing${n}`));
    await nextTurn();
  }
  assert.equal([...world.stored.keys()].filter((name) => world.isAccepted(name)).length, count);
  assert.equal(world.judged, 2 * count, 'each once when it came, and once when its status was written');
});

test('a definition whose names are taken gets them once the other is gone', async () => {
  const world = new World();
  await world.start();
  world.put(definition('things', 'Thing'));
  await nextTurn();
  world.put(definition('others', 'Thing'));
  await nextTurn();
  assert.deepEqual([world.isAccepted('things.example.com'), world.isAccepted('others.example.com')], [true, false]);
  world.remove('things.example.com');
  await nextTurn();
  assert.equal(world.isAccepted('others.example.com'), true);
});

test('definitions of several groups are written at the same time, those of one after each other', async () => {
  const world = new World();
  await world.start();
  const disk = deferred<void>();
  world.disk = disk.promise;
  for (const group of ['a.com', 'b.com']) for (const plural of ['things', 'others']) world.put(definition(plural, 'Thing', group));
  await nextTurn();
  assert.equal(world.judged, 2);
  disk.resolve();
  await nextTurn();
  const accepted = [...world.stored.keys()].filter((name) => world.isAccepted(name));
  assert.deepEqual(accepted, ['things.a.com', 'things.b.com']);
});

test('a definition that changes while its status is written gets the status of what it is now', async () => {
  const world = new World();
  await world.start();
  const disk = deferred<void>();
  world.disk = disk.promise;
  world.put(definition('things', 'Thing'));
  await nextTurn();
  world.put(definition('things', 'Other'));
  disk.resolve();
  await nextTurn();
  assert.equal(world.stored.get('things.example.com')?.status.acceptedNames.kind, 'Other');
});

test('a definition that changes while its finalizer is taken away loses it all the same', async () => {
  const world = new World();
  await world.start();
  const going = (kind: string): Definition => {
    const one = definition('things', kind);
    return { ...one, metadata: { ...one.metadata, deletionTimestamp: '2024-01-02T03:04:05Z', finalizers: ['customresourcecleanup.apiextensions.k8s.io', 'x'] } };
  };
  const finalizers = (): unknown => world.stored.get('things.example.com')?.metadata.finalizers;
  const [condition, finalizer] = [deferred<void>(), deferred<void>()];
  world.disk = condition.promise;
  world.put(going('Thing'));
  await nextTurn();
  world.disk = finalizer.promise;
  condition.resolve();
  await nextTurn();
  assert.deepEqual(world.stored.get('things.example.com')?.status.conditions?.map(({ type, reason }) => [type, reason]), [['Terminating', 'NeverEstablished']]);
  world.put(going('Other'));
  assert.deepEqual(finalizers(), ['customresourcecleanup.apiextensions.k8s.io', 'x']);
  finalizer.resolve();
  await nextTurn();
  assert.deepEqual(finalizers(), ['x']);
});

test('a definition whose objects cannot be removed says why, and is not written again with every try', async () => {
  const world = new World();
  await world.start();
  const one = definition('things', 'Thing');
  const metadata = { ...one.metadata, deletionTimestamp: '2024-01-02T03:04:05Z', finalizers: ['customresourcecleanup.apiextensions.k8s.io'] };
  world.put({ ...one, metadata, status: { ...one.status, acceptedNames: one.spec.names, conditions: [{ type: 'Established', status: 'True' }] } } as Definition);
  await nextTurn();
  const { reason, message } = conditionOf(world.stored.get('things.example.com') as Definition, 'Terminating') ?? {};
  assert.deepEqual([reason, message], ['InstanceDeletionFailed', 'could not remove all instances: the objects cannot be read']);
  const { writes, judged } = world;
  for (let tries = 0; tries < 5; tries++) {
    world.timers.turn(60_000);
    await nextTurn();
  }
  assert.equal(world.writes, writes);
  assert.ok(world.judged > judged, 'it is tried again');
});

for (const isHeard of [true, false]) {
  test(`the end of a definition takes nothing from the one that came in its place, ${isHeard ? 'after' : 'though nobody heard that'} the other went`, async () => {
    const world = new World();
    await world.start();
    const named = (uid: string, metadata: object): Definition => {
      const one = definition('things', 'Thing');
      return { ...one, metadata: { ...one.metadata, uid, finalizers: ['customresourcecleanup.apiextensions.k8s.io', 'x'], ...metadata } };
    };
    const condition = deferred<void>();
    world.disk = condition.promise;
    world.put(named('first', { deletionTimestamp: '2024-01-02T03:04:05Z' }));
    await nextTurn();
    if (isHeard) world.remove('things.example.com');
    world.put(named('second', {}));
    condition.resolve();
    await nextTurn();
    const second = world.stored.get('things.example.com');
    assert.deepEqual([second?.metadata.finalizers, second?.status.conditions?.map(({ type }) => type)], [['customresourcecleanup.apiextensions.k8s.io', 'x'], ['NamesAccepted', 'Established']]);
  });
}

test('a definition that comes in the place of another is served as itself, though it says the same and nobody heard that the other went', async () => {
  const world = new World();
  await world.start();
  const named = (uid: string): Definition => {
    const one = definition('things', 'Thing');
    return { ...one, metadata: { ...one.metadata, uid }, status: { ...one.status, acceptedNames: one.spec.names, conditions: [{ type: 'Established', status: 'True' }] } } as Definition;
  };
  world.put(named('first'));
  const [first] = world.catalog.resources;
  world.put(named('second'));
  const uids = (): unknown => world.catalog.resources.map(({ kind }) => kind.declaredBy?.uid);
  assert.deepEqual([first?.kind.declaredBy?.uid, first?.gone?.aborted, uids()], ['first', true, ['second']]);
  const [second] = world.catalog.resources;
  world.remove('things.example.com');
  assert.deepEqual([second?.gone?.aborted, uids()], [true, []]);
  world.put(named('second'));
  assert.deepEqual(uids(), ['second']);
});

test('a definition whose status lost its names, or has other ones, is served as before until it has them again', async () => {
  const world = new World();
  await world.start();
  world.put(definition('things', 'Thing'));
  await nextTurn();
  const served = (): unknown => world.catalog.resources.map(({ plural, kind }) => [plural, kind.kind]);
  assert.deepEqual(served(), [['things', 'Thing']]);
  for (const written of [{ plural: '', kind: '' }, { kind: '' }, { plural: 'others' }]) {
    const before = world.stored.get('things.example.com') as Definition;
    world.put({ ...before, status: { ...before.status, acceptedNames: { ...before.status.acceptedNames, ...written } } });
    assert.deepEqual(served(), [['things', 'Thing']]);
    await nextTurn();
    assert.deepEqual(world.stored.get('things.example.com')?.status.acceptedNames, before.status.acceptedNames);
    assert.deepEqual(served(), [['things', 'Thing']]);
  }
});

test('a definition whose status cannot be written is tried again as often as before when it changes meanwhile', async () => {
  const world = new World();
  await world.start();
  world.disk = Promise.reject(new Error('the disk is full'));
  const judgedIn = async (milliseconds: number): Promise<number> => {
    world.judged = 0;
    for (let passed = 0; passed < milliseconds; passed += 100) {
      world.timers.turn(100);
      await nextTurn();
    }
    return world.judged;
  };
  world.put(definition('things', 'Thing'));
  await nextTurn();
  const usual = await judgedIn(30_000);
  assert.ok(usual > 1);
  assert.equal(world.told, 1, 'the same reason is told once in ten minutes');
  for (let changes = 0; changes < 5; changes++) {
    world.put(definition('things', 'Thing'));
    await judgedIn(100);
  }
  const after = await judgedIn(30_000);
  assert.ok(Math.abs(after - usual) <= 1, `${after} times, ${usual} before it changed`);
  world.disk = Promise.resolve();
  await judgedIn(30_000);
  assert.ok(world.isAccepted('things.example.com'));
  assert.equal(await judgedIn(30_000), 0);
});
