import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { isTurnLong, nextTurn, pausingAfter } from './next-turn.ts';

test('of long work by several, each gets a turn of its own, in the order of asking', async () => {
  const order: string[] = [];
  let turn = 0;
  const count = (): void => {
    turn += 1;
    if (order.length < 3) setImmediate(count);
  };
  setImmediate(count);
  const goOn = async (name: string): Promise<void> => {
    await nextTurn();
    order.push(`${name} ${turn}`);
  };
  await Promise.all(['first', 'second', 'third'].map(goOn));
  assert.deepEqual(order, ['first 1', 'second 2', 'third 3']);
});

test('a turn is long when long work has had it for a while, whoever did it; the next one is fresh', async () => {
  await nextTurn();
  assert.equal(isTurnLong(), false);
  const until = performance.now() + 20;
  while (performance.now() < until);
  assert.equal(isTurnLong(), true);
  await nextTurn();
  assert.equal(isTurnLong(), false);
});

test('what follows long work has a turn of its own, before those that wait to begin; what is done at once is at hand', async () => {
  assert.equal(pausingAfter(() => 1), 1);
  const long = (): Promise<number> | number =>
    pausingAfter(() => {
      const until = performance.now() + 20;
      while (performance.now() < until);
      return 2;
    });
  const order: string[] = [];
  const begins = nextTurn().then(() => order.push('what waits to begin'));
  const goesOn = Promise.resolve(long()).then(() => order.push('what is begun'));
  setImmediate(() => order.push('another'));
  await Promise.all([begins, goesOn]);
  assert.deepEqual(order, ['what is begun', 'another', 'what waits to begin']);
});

test('what fails while it waits for its turn fails its caller, and is awaited until then', async () => {
  const unawaited: unknown[] = [];
  const listeners = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', (cause) => unawaited.push(cause));
  try {
    const failing = pausingAfter(() => {
      const until = performance.now() + 20;
      while (performance.now() < until);
      return Promise.reject(new Error('refused'));
    });
    await assert.rejects(Promise.resolve(failing), /refused/);
    assert.deepEqual(unawaited, []);
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const listener of listeners) process.on('unhandledRejection', listener);
  }
});

test('who waits for nobody any more leaves the queue at once, and holds up nobody behind', async () => {
  const order: string[] = [];
  const gone = new AbortController();
  const left = nextTurn(gone.signal).then(() => order.push('left'));
  const behind = nextTurn().then(() => order.push('behind'));
  setImmediate(() => order.push('turn'));
  gone.abort();
  await left;
  assert.deepEqual(order, ['left']);
  await behind;
  assert.deepEqual(order, ['left', 'behind']);
  await nextTurn(gone.signal);
  assert.deepEqual(order, ['left', 'behind'], 'no turn is waited for');
});

test('each turn lets one go on, also after the queue was left by all', async () => {
  const gone = new AbortController();
  void nextTurn(gone.signal);
  gone.abort();
  let turn = 0;
  setImmediate(() => (turn = 1));
  const turns = await Promise.all([nextTurn().then(() => turn), nextTurn().then(() => turn)]);
  assert.deepEqual(turns, [0, 1]);
});

test('a signal that aborts when its own has had their turn takes that of nobody else', async () => {
  const stop = new AbortController();
  await nextTurn(stop.signal);
  const others = Promise.all([nextTurn(), nextTurn()]);
  stop.abort();
  await others;
  assert.equal(getEventListeners(stop.signal, 'abort').length, 0);
});
