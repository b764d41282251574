import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Commit } from '../engine.ts';
import { bytes, HISTORY_SECONDS, isFailure, Recorder, type TestedEngine } from './test-support.ts';

/** Tests of what survives closing and opening a store. */
export function reopenedSuite(tested: TestedEngine): void {
  const { put, remove, all, pass } = tested;

  it('R2.2-09 goes on counting where it stopped, even when the last change was a removal that is forgotten', async () => {
    await put('/a', '1');
    await put('/b', '1');
    await remove('/b');
    await tested.engine.compact(4);
    await tested.engine.close();
    await tested.reopen();
    assert.equal(await tested.engine.head(), 4);
    assert.deepEqual(await all(), ['/a=1']);
    await assert.rejects(tested.engine.get('/a', 3), isFailure('compacted', 4));
    assert.equal(await put('/a', '2'), 5);
  });

  it('lets a follower go on from the last revision it saw', async () => {
    await put('/a', '1');
    await put('/a', '2');
    await tested.engine.close();
    await tested.reopen();
    const recorder = new Recorder(tested.engine, '/', 2);
    await put('/a', '3');
    await recorder.reached(4);
    assert.deepEqual(recorder.summary(), ['3 /a=2 was 1', '4 /a=3 was 2']);
  });

  it('answers the writes that were under way when it was closed, and keeps those that it says are done', { timeout: 20_000 }, async () => {
    const write = (n: number): Promise<Commit> => tested.engine.commit({ key: `/${n}`, expect: 0, value: bytes('x') });
    const first = write(0);
    await new Promise((resolve) => setImmediate(resolve));
    const writes = Promise.allSettled([first, write(1), write(2)]);
    await tested.engine.close();
    const answers = await writes;
    await tested.reopen();
    for (const [n, answer] of answers.entries()) {
      if (answer.status === 'rejected') assert.ok(isFailure('unavailable')(answer.reason));
      else assert.deepEqual(answer.value, { done: true, revision: (await tested.engine.get(`/${n}`))?.revision });
    }
  });

  it('remembers a time to live that nobody will see end', async () => {
    for (const [key, ttlSeconds] of [['/a', 36e12], ['/b', 36e12], ['/c', 1e17]] as const) await put(key, '1', 0, ttlSeconds);
    await tested.engine.close();
    await tested.reopen();
    assert.deepEqual(await all(), ['/a=1', '/b=1', '/c=1']);
    await put('/a', '2', 2, 36e12);
    await put('/b', '2', 3);
    await remove('/c');
    assert.deepEqual(await all(), ['/a=2', '/b=2']);
  });

  if (tested.hasOwnTime) {
    it('remembers times to live', async () => {
      await put('/a', '1', 0, 1);
      await put('/b', '1');
      await tested.engine.close();
      await tested.reopen();
      const recorder = new Recorder(tested.engine, '/', 3);
      await recorder.reached(4);
      assert.deepEqual(recorder.summary(), ['4 /a=- was 1']);
      assert.deepEqual(await all(), ['/b=1']);
    });
    return;
  }

  it('remembers times to live and the age of history', async () => {
    await put('/a', '1', 0, 60);
    await put('/b', '1');
    await put('/b', '2');
    await tested.engine.close();
    tested.clock.turn(59_999);
    await tested.reopen();
    const recorder = new Recorder(tested.engine, '/', 4);
    assert.deepEqual(await all(), ['/a=1', '/b=2']);
    tested.clock.turn(1);
    await recorder.reached(5);
    assert.deepEqual(recorder.summary(), ['5 /a=- was 1']);
    await pass(HISTORY_SECONDS - 55);
    await assert.rejects(all(3), isFailure('compacted', 4));
    assert.deepEqual(await all(4), ['/a=1', '/b=2']);
  });
}
