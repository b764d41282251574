import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdmissionPlugin } from '#admission';
import { forbidden } from '#errors';
import { startTestServer } from '#testing';

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
