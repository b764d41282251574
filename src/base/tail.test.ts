import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTurns } from './count-turns.ts';
import { deferred } from './deferred.ts';
import { Tail } from './tail.ts';

const END = 40;
const SLICE = 10;

interface Reads {
  /** Where each read began. */
  readonly from: number[];
  /** Called with each read. */
  readonly during?: () => void;
}

/** A tail of the numbers up to `END`, ten of them a slice. */
const numbers = (reads: Reads): Tail<number> =>
  new Tail<number>(END, {
    read(after, upTo) {
      reads.from.push(after);
      reads.during?.();
      const position = Math.min(after + SLICE, upTo);
      return { items: Array.from({ length: position - after }, (_, at) => after + at + 1), position };
    },
  });

/** What a reader that starts after `after` gets up to `END`. */
function caughtUp(tail: Tail<number>, after: number): Promise<readonly number[]> {
  const got: number[] = [];
  const done = deferred<readonly number[]>();
  tail.attach(after, {
    wants: () => true,
    positionOf: (item) => item,
    deliver(items, position) {
      got.push(...items);
      if (position === END) done.resolve(got);
    },
    failed: (cause) => done.reject(cause as Error),
  });
  return done.promise;
}

const numbersAfter = (after: number): readonly number[] => Array.from({ length: END - after }, (_, at) => after + at + 1);

test('what readers at the same place missed is read once for all of them', async () => {
  const reads: Reads = { from: [] };
  const tail = numbers(reads);
  const got = await Promise.all(Array.from({ length: 50 }, () => caughtUp(tail, 0)));
  for (const items of got) assert.deepEqual(items, numbersAfter(0));
  assert.deepEqual(reads.from, [0, 10, 20, 30]);
});

test('readers at different places get all that is theirs, and nothing else', async () => {
  const tail = numbers({ from: [] });
  const starts = [35, 0, 7, 20, 7, 12, 39];
  assert.deepEqual(await Promise.all(starts.map((after) => caughtUp(tail, after))), starts.map(numbersAfter));
});

test('a reader that comes while others catch up, and one that leaves then, disturb nobody', async () => {
  const tail = numbers({ from: [] });
  const late = deferred<readonly number[]>();
  const leave = tail.attach(0, {
    wants: () => true,
    positionOf: (item) => item,
    deliver() {
      leave();
      void caughtUp(tail, 5).then(late.resolve, late.reject);
    },
    failed: (cause) => late.reject(cause as Error),
  });
  assert.deepEqual(await caughtUp(tail, 0), numbersAfter(0));
  assert.deepEqual(await late.promise, numbersAfter(5));
});

test('what is published as standing in the source is read from there, in turns, also where more is published meanwhile', async () => {
  const reads: Reads = { from: [] };
  const tail = numbers(reads);
  const got: number[] = [];
  const ahead: number[] = [];
  const done = deferred<void>();
  const reader = (into: number[], last: number) => ({
    wants: () => true,
    positionOf: (item: number) => item,
    deliver(items: readonly number[], position: number) {
      into.push(...items);
      if (position === last) done.resolve();
    },
    failed: (cause: unknown) => done.reject(cause as Error),
  });
  tail.attach(END, reader(got, 72));
  tail.attach(70, reader(ahead, 0));
  tail.publishFromSource(70);
  assert.deepEqual([tail.position, got], [70, []]);
  tail.publish([71], 71);
  tail.publish([72], 72);
  await done.promise;
  assert.deepEqual(got, Array.from({ length: 32 }, (_, at) => END + at + 1));
  assert.deepEqual(ahead, [71, 72]);
  assert.deepEqual(reads.from, [40, 50, 60, 70]);
  tail.publish([73], 73);
  assert.deepEqual([got.at(-1), ahead.at(-1)], [73, 73]);
});

test('many readers far apart leave turns of the event loop to others', async () => {
  const during = (): void => {
    const until = performance.now() + 6;
    while (performance.now() < until);
  };
  const tail = numbers({ from: [], during });
  const turns = await countTurns(() => Promise.all([0, 10, 20, 30].map((after) => caughtUp(tail, after))));
  assert.ok(turns >= 7, `${turns} turns`);
});
