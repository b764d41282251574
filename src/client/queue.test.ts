import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTurns, deferred, isTurnLong, StillClock, type Deferred } from '#base';
import { conflict } from '#errors';
import { WorkQueue } from './queue.ts';
import { settled } from './test-support.ts';

/** Knows what it was asked for. */
class AskedClock extends StillClock {
  readonly waits: number[] = [];

  override after(delayMs: number, run: () => void): () => void {
    this.waits.push(delayMs);
    return super.after(delayMs, run);
  }
}

/** A queue whose work waits until the test lets it end. */
function openQueue(workers?: number) {
  const clock = new AskedClock();
  const begun: string[] = [];
  const ends: Deferred<number | undefined>[] = [];
  const queue = new WorkQueue({
    clock,
    ...(workers === undefined ? {} : { workers }),
    work(key) {
      begun.push(key);
      const end = deferred<number | undefined>();
      ends.push(end);
      return end.promise;
    },
  });
  const end = async (result?: number): Promise<void> => {
    ends.shift()?.resolve(result);
    await settled();
  };
  const fail = async (): Promise<void> => {
    ends.shift()?.reject(new Error('no'));
    await settled();
  };
  return { clock, queue, begun, end, fail };
}

test('a key waits once, in order of arrival, and nothing is worked on before the start', async () => {
  const { queue, begun, end } = openQueue();
  for (const key of ['a', 'b', 'a']) queue.add(key);
  assert.deepEqual(begun, []);
  queue.start();
  await end();
  await end();
  assert.deepEqual(begun, ['a', 'b']);
  assert.equal(queue.size, 0);
});

test('many keys whose work waits for nothing leave turns of the event loop to others', async () => {
  const KEYS = 200;
  const done = deferred<void>();
  let worked = 0;
  const queue = new WorkQueue({
    clock: new StillClock(),
    work() {
      for (const beganMs = performance.now(); performance.now() - beganMs < 1; ) continue;
      if (++worked === KEYS) done.resolve();
      return Promise.resolve(undefined);
    },
  });
  for (let n = 0; n < KEYS; n++) queue.add(`${n}`);
  const turns = await countTurns(() => {
    queue.start();
    return done.promise;
  });
  assert.ok(turns > 4, `${turns} turns`);
});

test('a delay counts from the end of the work, however long its turn of the event loop has become', async () => {
  const clock = new StillClock();
  let worked = 0;
  const again = deferred<void>();
  const queue = new WorkQueue({
    clock,
    work() {
      if (++worked === 2) again.resolve();
      // Long work of others begins in this turn, too.
      isTurnLong();
      for (const beganMs = performance.now(); performance.now() - beganMs < 10; ) continue;
      return Promise.resolve(worked === 1 ? 1_000 : undefined);
    },
  });
  queue.add('a');
  queue.start();
  await Promise.resolve();
  await Promise.resolve();
  clock.turn(1_000);
  await again.promise;
  assert.equal(worked, 2);
});

test('a key added while it is worked on is worked on again, and never twice at a time', async () => {
  const { queue, begun, end } = openQueue(3);
  queue.start();
  queue.add('a');
  queue.add('a');
  queue.add('a');
  assert.deepEqual(begun, ['a']);
  await end();
  assert.deepEqual(begun, ['a', 'a']);
  await end();
  assert.deepEqual(begun, ['a', 'a']);
});

test('no more keys at a time than there are workers', async () => {
  const { queue, begun, end } = openQueue(2);
  queue.start();
  for (const key of ['a', 'b', 'c']) queue.add(key);
  assert.deepEqual(begun, ['a', 'b']);
  await end();
  assert.deepEqual(begun, ['a', 'b', 'c']);
});

test('a failed key comes back twice as late every time, up to 1000 s, and from the beginning after a success', async () => {
  const { queue, clock, fail, end } = openQueue();
  queue.start();
  queue.add('a');
  for (let failures = 1; failures <= 20; failures++) {
    await fail();
    clock.turn(clock.waits.at(-1) ?? 0);
  }
  assert.deepEqual(clock.waits.slice(0, 4), [5, 10, 20, 40]);
  assert.equal(clock.waits.at(-1), 1_000_000);
  await end();
  queue.add('a');
  await fail();
  assert.equal(clock.waits.at(-1), 5);
});

test('a failure is told with its cause and how many there were, and is retried by the clock for that, whichever clock counts the rest', async () => {
  const [clock, retryClock] = [new AskedClock(), new AskedClock()];
  const told: unknown[] = [];
  const cause = new Error('no');
  const queue = new WorkQueue({ clock, retryClock, work: () => Promise.reject(cause), onFailure: (...failure) => told.push(failure) });
  queue.start();
  queue.add('a');
  await settled();
  retryClock.turn(5);
  await settled();
  assert.deepEqual(told, [['a', cause, 1], ['a', cause, 2]]);
  assert.deepEqual([clock.waits, retryClock.waits], [[], [5, 10]]);
});

test('conflicts are told only where they go on: an informer that is behind causes some', async () => {
  const clock = new AskedClock();
  const told: unknown[] = [];
  const behind = conflict({ group: '', resource: 'secrets' }, 'a', 'it was changed');
  const queue = new WorkQueue({ clock, work: () => Promise.reject(behind), onFailure: (...failure) => told.push(failure) });
  queue.start();
  queue.add('a');
  for (let times = 1; times < 7; times++) {
    await settled();
    clock.turn(clock.waits.at(-1) ?? 0);
  }
  await settled();
  assert.deepEqual(told, [['a', behind, 6], ['a', behind, 7]]);
});

test('what work resolves to is when it comes again; the earlier of two moments counts', async () => {
  const { queue, clock, begun, end } = openQueue();
  queue.start();
  queue.add('a');
  await end(60_000);
  queue.addAfter('a', 90_000);
  clock.turn(59_999);
  assert.deepEqual(begun, ['a']);
  clock.turn(1);
  assert.deepEqual(begun, ['a', 'a']);
  await end();
  clock.turn(100_000);
  assert.deepEqual(begun, ['a', 'a']);

  queue.addAfter('b', 90_000);
  queue.addAfter('b', 10_000);
  clock.turn(10_000);
  assert.deepEqual(begun, ['a', 'a', 'b']);
  await end();
  clock.turn(100_000);
  assert.deepEqual(begun, ['a', 'a', 'b']);
});

test('a key that waits already is due by then, whatever moment is named for it', async () => {
  const { queue, clock, begun, end } = openQueue();
  queue.add('a');
  queue.addAfter('a', 10);
  queue.start();
  await end();
  assert.equal(clock.pending, 0, 'something would be done later');
  clock.turn(10);
  assert.deepEqual(begun, ['a']);
});

test('what is due already is worked on at once', async () => {
  const { queue, begun, end } = openQueue();
  queue.start();
  queue.add('a');
  await end(0);
  assert.deepEqual(begun, ['a', 'a']);
  await end();
  queue.addAfter('b', 0);
  assert.deepEqual(begun, ['a', 'a', 'b']);
});

test('stopping waits for what is being worked on and takes up nothing more', async () => {
  await openQueue().queue.stop();
  const { queue, clock, begun, end } = openQueue();
  queue.start();
  queue.add('a');
  queue.add('b');
  queue.addAfter('c', 10);
  let isAtRest = false;
  const rest = queue.stop().then(() => (isAtRest = true));
  await settled();
  assert.equal(isAtRest, false);
  queue.addAfter('d', 10);
  await end(10);
  await rest;
  assert.equal(clock.pending, 0, 'something would be done later');
  queue.add('d');
  assert.deepEqual(begun, ['a']);
});

test('a queue that is stopped before it starts works on nothing', async () => {
  const { queue, begun } = openQueue();
  queue.add('a');
  await queue.stop();
  queue.start();
  assert.deepEqual([begun, queue.size], [[], 0]);
});

test('work that says no time at which its key is due again has failed', async () => {
  const { clock, queue, begun, end } = openQueue();
  queue.start();
  queue.add('a');
  await end(NaN);
  assert.deepEqual(clock.waits, [5]);
  clock.turn(5);
  await end(NaN);
  assert.deepEqual([clock.waits, begun], [[5, 10], ['a', 'a']]);
});

test('plain JavaScript says null where there is no time at which a key is due again; a text is none', async () => {
  const { clock, queue, begun, end } = openQueue();
  queue.start();
  queue.add('a');
  await end(null as unknown as undefined);
  assert.deepEqual([begun, clock.waits], [['a'], []]);
  queue.add('a');
  await end('5s' as unknown as number);
  assert.deepEqual([begun, clock.waits], [['a', 'a'], [5]]);
});

test('the time at which a key is due again counts from when its work began: a clock that is turned before it has ended leaves nothing for later', async () => {
  const { clock, queue, begun, end } = openQueue();
  queue.start();
  queue.add('a');
  clock.turn(40);
  await end(50);
  assert.deepEqual([begun, clock.waits], [['a'], [10]]);
  clock.turn(10);
  clock.turn(60);
  await end(50);
  assert.deepEqual(begun, ['a', 'a', 'a'], 'it is due at once');
  assert.deepEqual(clock.waits, [10]);
});
