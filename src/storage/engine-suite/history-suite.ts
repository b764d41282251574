import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HISTORY_SECONDS, isFailure, text, type TestedEngine } from './test-support.ts';

const DAY_MS = 86_400_000;

/** Tests of reading at older revisions, and of compaction. */
export function historySuite(tested: TestedEngine): void {
  const { put, remove, all, pass } = tested;

  it('R4.6-18 answers exactly the revision asked for', async () => {
    await put('/a', '1');
    await put('/b', '1');
    await put('/a', '2');
    await remove('/b');
    await put('/b', '3');
    assert.deepEqual(await Promise.all([1, 2, 3, 4, 5, 6].map(all)), [
      [],
      ['/a=1'],
      ['/a=1', '/b=1'],
      ['/a=2', '/b=1'],
      ['/a=2'],
      ['/a=2', '/b=3'],
    ]);
    const known = async (key: string): Promise<(number | undefined)[]> => Promise.all([1, 2, 3, 4, 5, 6].map(async (at) => (await tested.engine.get(key, at))?.revision));
    assert.deepEqual(await known('/a'), [undefined, 2, 2, 4, 4, 4]);
    assert.deepEqual(await known('/b'), [undefined, undefined, 3, 3, undefined, 6]);
    assert.equal(text((await tested.engine.get('/a', 3))?.value), '1');
  });

  it('R4.6-34 says which revision is the oldest when an older one is asked for, and what is newest for a later one', async () => {
    for (let i = 0; i < 5; i++) await put('/a', `${i}`);
    await remove('/a');
    await put('/b', 'b');
    await tested.engine.compact(5);
    await assert.rejects(tested.engine.get('/a', 4), isFailure('compacted', 5));
    await assert.rejects(tested.engine.scan({ start: '/', end: '0', at: 1 }), isFailure('compacted', 5));
    assert.deepEqual(await all(5), ['/a=3']);
    assert.deepEqual(await all(6), ['/a=4']);
    assert.deepEqual(await all(7), []);
    await tested.engine.compact(3);
    assert.deepEqual(await all(5), ['/a=3']);
    await assert.rejects(tested.engine.get('/a', 9), isFailure('future', 8));
    await assert.rejects(tested.engine.scan({ start: '/', end: '0', at: 9 }), isFailure('future', 8));
    await assert.rejects(tested.engine.compact(9), isFailure('future', 8));
  });

  it('keeps what stands through every compaction', async () => {
    await put('/a', 'a');
    await put('/b', 'b');
    await remove('/b');
    await tested.engine.compact(await tested.engine.head());
    assert.deepEqual(await all(), ['/a=a']);
    assert.equal(await put('/b', 'again', 0), 5);
    await tested.engine.compact(5);
    assert.deepEqual(await all(5), ['/a=a', '/b=again']);
    assert.equal(await tested.engine.head(), 5);
  });

  it('is forgotten to the end, however much it is', async () => {
    const many = (): Promise<unknown> => Promise.all(Array.from({ length: 700 }, (_, i) => put(`/k${i}`, 'x')));
    await many();
    await many();
    const head = await tested.engine.head();
    await tested.engine.compact(head);
    await assert.rejects(tested.engine.get('/k0', head - 1), isFailure('compacted', head));
    assert.equal((await all()).length, 700);
  });

  if (tested.hasOwnTime) return;

  it('is trimmed by time, and not before it is over', async () => {
    await put('/a', '1');
    await put('/a', '2');
    tested.clock.turn((HISTORY_SECONDS - 20) * 1000);
    await put('/a', '3');
    assert.deepEqual(await all(2), ['/a=1']);
    await pass(30);
    await assert.rejects(all(2), isFailure('compacted', 3));
    assert.deepEqual(await all(3), ['/a=2']);
    await pass(HISTORY_SECONDS);
    await assert.rejects(all(3), isFailure('compacted', 4));
    assert.deepEqual(await all(4), ['/a=3']);
  });

  it('is kept for its time where what was before it is forgotten already', async () => {
    await put('/a', '1');
    await tested.engine.compact(2);
    tested.clock.turn((HISTORY_SECONDS - 20) * 1000);
    await put('/a', '2');
    await put('/a', '3');
    await pass(30);
    assert.deepEqual(await all(3), ['/a=2']);
    await pass(HISTORY_SECONDS);
    await assert.rejects(all(3), isFailure('compacted', 4));
  });

  it('is trimmed in its time also where the clock was ahead and is put back', async () => {
    await put('/a', '1');
    await put('/a', '2');
    tested.clock.put(DAY_MS);
    await put('/a', '3');
    tested.clock.put(-2 * DAY_MS);
    await put('/a', '4');
    await put('/a', '5');
    await pass(HISTORY_SECONDS + 10);
    await assert.rejects(all(5), isFailure('compacted', 6));
    assert.deepEqual(await all(6), ['/a=5']);
  });
}
