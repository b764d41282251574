import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdmissionPlugin } from '#admission';
import { brandOf, createCatalog, defineKind } from '#api';
import { deferred, nextTurn, silentLog, systemClock } from '#base';
import { forbidden } from '#errors';
import { t } from '#schema';
import { openEngine, type Engine } from '#storage';
import { startTestServer } from '#testing';
import { create, list, openRegistries, OWN_WRITE, remove, removeCollection } from './index.ts';

const COLLECTION = '/api/v1/namespaces/default/configmaps';
const OBJECTS = 320;
const SEVERAL = 4;

test('a collection goes in the order of its list, though many deletions share a commit', async () => {
  const server = await startTestServer({ controllers: 'none', aggregateRoles: false });
  const names = Array.from({ length: 40 }, (_, at) => `m${String(at).padStart(2, '0')}`);
  await Promise.all(names.map((name) => server.request('POST', COLLECTION, { metadata: { name, labels: { order: 'yes' } } })));
  const watch = await server.watch(`${COLLECTION}?watch=true&labelSelector=order`);
  await watch.next(names.length);
  await server.request('DELETE', `${COLLECTION}?labelSelector=order`);
  const events = await watch.next(names.length);
  assert.deepEqual(events.map(({ type, object }) => `${type} ${object.metadata.name}`), names.map((name) => `DELETED ${name}`));
  await watch.stop();
  await server.close();
});

test('deleting a large collection lets others have their turn, and several do no more in a turn than one', async () => {
  const server = await startTestServer({ controllers: 'none', aggregateRoles: false });
  await Promise.all(Array.from({ length: OBJECTS }, (_, at) => server.request('POST', COLLECTION, { metadata: { name: `m${at}` } })));
  const inTurns = Math.ceil(OBJECTS / 16) - 1;
  const tried = await countingTurns(() => Promise.all(Array.from({ length: SEVERAL }, () => server.request('DELETE', `${COLLECTION}?dryRun=All`))));
  for (const { status, body } of tried.result) assert.deepEqual([status, body.items.length], [200, OBJECTS]);
  assert.ok(tried.turns >= SEVERAL * inTurns, `others had ${tried.turns} turns beside ${SEVERAL}`);
  const { result, turns } = await countingTurns(() => server.request('DELETE', COLLECTION));
  assert.deepEqual([result.status, result.body.items.length], [200, OBJECTS]);
  assert.ok(turns >= inTurns, `others had ${turns} turns`);
  await server.close();
});

const REFUSED = 'm05';

/** Refuses one of them: at once, or after a while in which others could have gone on. */
const refusing = (isAsked: boolean): AdmissionPlugin => ({
  name: 'Refusing',
  enabled: true,
  band: 'final',
  create: () => ({
    on: ['DELETE'],
    kinds: ['/configmaps'],
    validate: ({ live }) => {
      const refuse = (): void => {
        if (live?.metadata.name === REFUSED) throw forbidden({ group: '', resource: 'configmaps' }, REFUSED, 'kept');
      };
      return isAsked ? new Promise((resolve) => setImmediate(resolve)).then(refuse) : refuse();
    },
  }),
});

for (const isAsked of [false, true]) {
  test(`the first that is refused ends it: what stands behind it stays (${isAsked ? 'others are asked' : 'decided at once'})`, async () => {
    const server = await startTestServer({ controllers: 'none', aggregateRoles: false, admission: { plugins: [refusing(isAsked)] } });
    const names = Array.from({ length: 40 }, (_, at) => `m${String(at).padStart(2, '0')}`);
    await Promise.all(names.map((name) => server.request('POST', COLLECTION, { metadata: { name, labels: { order: 'yes' } } })));
    const { status, body } = await server.request('DELETE', `${COLLECTION}?labelSelector=order`);
    assert.deepEqual([status, body.reason, body.details.name], [403, 'Forbidden', REFUSED]);
    const left = await server.request('GET', `${COLLECTION}?labelSelector=order`);
    assert.deepEqual(left.body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name), names.slice(names.indexOf(REFUSED)));
    await server.close();
  });
}

class Note extends t.message('notes/v1.Note', {}) {}
const Notes = defineKind(Note, { group: '', kind: 'Note', plural: 'notes', scope: 'Namespaced', storage: 'v1', versions: { v1: { schema: Note } } });

/** The engine, each of whose commits waits until `held` says what it waits for. */
const holding = (engine: Engine, held: () => Promise<void> | undefined): Engine =>
  new Proxy(engine, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return async (...values: unknown[]) => {
        if (name === 'commit') await held();
        return Reflect.apply(member, target, values) as unknown;
      };
    },
  });

for (const isAsked of [false, true]) {
  test(`a group of deletions is committed together and is over with the last commit; what vanishes meanwhile is no failure (${isAsked ? 'others are asked' : 'decided at once'})`, async () => {
    const engine = await openEngine('memory://', { historySeconds: 300, clock: systemClock, log: silentLog });
    const held: ReturnType<typeof deferred<void>>[] = [];
    let isHolding = false;
    const catalog = createCatalog([Notes], brandOf('orch'));
    const hold = (): Promise<void> | undefined => {
      if (!isHolding) return undefined;
      const one = deferred<void>();
      held.push(one);
      return one.promise;
    };
    const registryOn = (on: Engine): Parameters<typeof list>[0] => openRegistries(catalog, on, systemClock).of(catalog.find('', 'v1', 'notes')!.resource);
    const notes = registryOn(holding(engine, hold));
    const names = Array.from({ length: 17 }, (_, at) => `n${String(at).padStart(2, '0')}`);
    for (const name of names) await create(notes, { kind: 'Note', apiVersion: 'v1', metadata: { namespace: 'n', name } }, OWN_WRITE);
    isHolding = true;
    let isOver = false;
    const all = { namespace: 'n', freshness: 'latest' } as const;
    const deletion = removeCollection(notes, all, {}, { ...OWN_WRITE, check: () => (isAsked ? nextTurn() : undefined) }).finally(() => (isOver = true));
    const commitsAfterTurns = async (): Promise<number> => {
      for (let turn = 0; turn < 100; turn++) await nextTurn();
      return held.length;
    };
    assert.equal(await commitsAfterTurns(), 16);
    await remove(registryOn(engine), { namespace: 'n', name: 'n03' }, {}, OWN_WRITE);
    for (const one of held.slice(0, 15)) one.resolve();
    assert.deepEqual([await commitsAfterTurns(), isOver], [16, false]);
    held[15]!.resolve();
    assert.deepEqual([await commitsAfterTurns(), isOver], [17, false]);
    held[16]!.resolve();
    assert.deepEqual((await deletion).items.map(({ object }) => object.metadata.name), names);
    assert.deepEqual((await list(notes, all)).items, []);
    await engine.close();
  });
}

/** How many turns others have while this work is done. */
async function countingTurns<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly turns: number }> {
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  const result = await work();
  clearImmediate(next);
  return { result, turns };
}
