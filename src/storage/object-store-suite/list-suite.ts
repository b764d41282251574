import assert from 'node:assert/strict';
import { it } from 'node:test';
import { countTurns } from '#base';
import type { Stored } from '../object-store.ts';
import { isFailure, keyOfNote, note, PREFIX, setText, type Note, type TestedStore } from './test-support.ts';

/** Tests of `list`. */
export function listSuite(tested: TestedStore): void {
  const { create, update, remove, names } = tested;

  const fill = async (count: number): Promise<void> => {
    await Promise.all(Array.from({ length: count }, (_, i) => create(note(`n${String(i).padStart(4, '0')}`, `${i % 3}`))));
  };

  it('R4.4-01 R4.4-04 R4.4-05 R4.4-06 gives every item of one moment once, page by page', async () => {
    await fill(10);
    const first = await tested.store.list({ prefix: PREFIX, freshness: 'latest', limit: 4 });
    assert.deepEqual([first.items.length, first.next, first.remaining, first.revision], [4, keyOfNote('n0004'), 6, 11]);
    await remove('n0005');
    await update('n0006', setText('new'));
    await create(note('n00055', 'later'));
    const page = { prefix: PREFIX, freshness: { exactly: first.revision }, limit: 4 } as const;
    const second = await tested.store.list({ ...page, from: first.next! });
    const third = await tested.store.list({ ...page, from: second.next! });
    assert.deepEqual([second.items.length, second.remaining, second.revision], [4, 2, 11]);
    assert.deepEqual([third.items.length, third.next, third.remaining, third.revision], [2, undefined, undefined, 11]);
    const all = [...first.items, ...second.items, ...third.items];
    assert.deepEqual(all.map((item) => `${item.object.metadata.name}=${item.object.text}`), Array.from({ length: 10 }, (_, i) => `n000${i}=${i % 3}`));
  });

  it('reads long collections in one state, in several turns of the event loop', async () => {
    await fill(1_203);
    let found: readonly unknown[] = [];
    const turns = await countTurns(async () => (found = await names()));
    assert.equal(found.length, 1_203);
    assert.ok(turns >= 2, `others had ${turns} turns`);
    const limited = await tested.store.list({ prefix: PREFIX, freshness: 'any', limit: 1_100 });
    assert.deepEqual([limited.items.length, limited.remaining, limited.next], [1_100, 103, keyOfNote('n1100')]);
  });

  it('R4.6-07 shows the newest state as of one moment, though that is forgotten while it is read', async () => {
    await fill(1_203);
    const listing = names();
    for (let time = 0; time < 5; time++) {
      await create(note(`o${time}`, ''));
      await tested.engine.compact(await tested.engine.head());
    }
    const later = (await listing).slice(1_203);
    assert.deepEqual(later, later.map((_, time) => `o${time}`));
  });

  it('pages through what matches', async () => {
    await fill(30);
    const matches = (stored: Stored<Note>): boolean => stored.fields['text'] === '1';
    const first = await tested.store.list({ prefix: PREFIX, freshness: 'latest', limit: 6, matches });
    assert.deepEqual(first.items.map((item) => item.object.metadata.name), ['n0001', 'n0004', 'n0007', 'n0010', 'n0013', 'n0016']);
    assert.equal(first.remaining, undefined);
    const second = await tested.store.list({ prefix: PREFIX, freshness: { exactly: first.revision }, limit: 6, matches, from: first.next! });
    assert.deepEqual(second.items.map((item) => item.object.metadata.name), ['n0019', 'n0022', 'n0025', 'n0028']);
    assert.equal(second.next, undefined);
  });

  it('a full page of what matches is followed by another one where any object is left to look at', async () => {
    await fill(30);
    const page = (name: string) =>
      tested.store.list({ prefix: PREFIX, freshness: 'latest', limit: 1, matches: ({ object }: Stored<Note>) => object.metadata.name === name });
    assert.deepEqual([(await page('n0003')).next, (await page('n0028')).next], [keyOfNote('n0004'), keyOfNote('n0029')]);
    assert.equal((await page('n0029')).next, undefined);
  });

  it('finds what matches behind however much that does not, and nothing behind the last of a namespace', async () => {
    await fill(480);
    await tested.store.write(`${PREFIX}o/a`, async () => ({ put: { ...note('a', '2'), metadata: { name: 'a', namespace: 'o' } } }));
    const wanted = ['n0003', 'n0300', 'n0479'];
    const matches = ({ object }: Stored<Note>): boolean => wanted.includes(object.metadata.name ?? '');
    assert.deepEqual(await names({ matches }), wanted);
    const first = await tested.store.list({ prefix: PREFIX, freshness: 'latest', limit: 2, matches });
    assert.deepEqual(first.items.map((item) => item.object.metadata.name), wanted.slice(0, 2));
    assert.deepEqual(await names({ freshness: { exactly: first.revision }, matches, from: first.next }), wanted.slice(2));
    const space = await tested.store.list({ prefix: `${PREFIX}n/`, freshness: 'latest', limit: 480, matches: () => true });
    assert.deepEqual([space.items.length, space.next], [480, undefined]);
  });

  it('keeps to its prefix, or to one key', async () => {
    await create(note('a', '1'));
    await create(note('ab', '1'));
    await tested.store.write(`${PREFIX}other/a`, async () => ({ put: { ...note('a', '2'), metadata: { name: 'a', namespace: 'other' } } }));
    await tested.store.write('/registry/notesx/n/a', async () => ({ put: note('a', '3') }));
    assert.deepEqual(await names(), ['a', 'ab', 'a']);
    assert.deepEqual(await names({ prefix: `${PREFIX}n/` }), ['a', 'ab']);
    assert.deepEqual(await names({ prefix: keyOfNote('a') }), ['a']);
    assert.deepEqual(await names({ prefix: `${PREFIX}none/` }), []);
    await assert.rejects(names({ from: '/registry/secrets/n/a' }), RangeError);
  });

  it('R4.6-09 R4.6-18 R4.6-35 is as new as asked', async () => {
    await create(note('a', '1'));
    await create(note('b', '1'));
    assert.deepEqual(await names({ freshness: { exactly: 2 } }), ['a']);
    assert.deepEqual(await names({ freshness: { notOlderThan: 2 } }), ['a', 'b']);
    await assert.rejects(tested.afterWaiting(names({ freshness: { notOlderThan: 9 } })), isFailure('future'));
    await tested.engine.compact(3);
    await assert.rejects(names({ freshness: { exactly: 2 } }), isFailure('compacted'));
  });
}
