import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { test } from 'node:test';
import { SetClock, type Clock } from '#base';
import { TokenCache } from './token-cache.ts';

/** A clock whose hands are set. */
const handClock = (): Clock & { at: number } => ({ at: 0, nowMs() { return this.at; }, after: () => () => {} });

const TEN_MS = (): number => 10;

/** A question that counts how often it was asked. */
function counted<T>(answer: () => Promise<T>): { readonly ask: () => Promise<T>; readonly count: () => number } {
  let count = 0;
  return { ask: () => ((count += 1), answer()), count: () => count };
}

test('an answer is believed for its life and no longer', async () => {
  const clock = handClock();
  const cache = new TokenCache<string>(clock, TEN_MS);
  const { ask, count } = counted(() => Promise.resolve('jane'));
  const key = cache.keyOf('token');
  for (const at of [0, 5, 9]) {
    clock.at = at;
    assert.equal(await cache.remember(key, ask), 'jane');
  }
  assert.equal(count(), 1);
  clock.at = 10;
  await cache.remember(key, ask);
  assert.equal(count(), 2);
});

test('an answer is not believed longer because somebody puts the clock back, nor shorter because somebody puts it forward', async () => {
  const clock = new SetClock();
  const cache = new TokenCache<string>(clock, TEN_MS);
  const { ask, count } = counted(() => Promise.resolve('jane'));
  const key = cache.keyOf('token');
  await cache.remember(key, ask);
  clock.put(86_400_000);
  await cache.remember(key, ask);
  assert.equal(count(), 1);
  clock.put(-2 * 86_400_000);
  clock.turn(10);
  await cache.remember(key, ask);
  assert.equal(count(), 2);
});

test('answers as long as they may be fill no memory: few are kept, others are asked for again', async () => {
  const cache = new TokenCache<string>(handClock(), TEN_MS);
  const { ask, count } = counted(() => Promise.resolve('x'.repeat(1_000_000)));
  const keys = Array.from({ length: 48 }, (_, at) => cache.keyOf(`token-${at}`));
  for (const key of [...keys, ...keys]) await cache.remember(key, ask);
  assert.equal(count(), 2 * keys.length);
  await cache.remember(keys.at(-1) as string, ask);
  assert.equal(count(), 2 * keys.length);
});

test('those who ask meanwhile share the answer, also one that is not kept', async () => {
  const cache = new TokenCache<string | undefined>(handClock(), (value) => (value === undefined ? 0 : 10));
  const key = cache.keyOf('token');
  const failing = counted(() => Promise.reject(new Error('away')));
  const answers = await Promise.allSettled([cache.remember(key, failing.ask), cache.remember(key, failing.ask)]);
  assert.deepEqual([answers.map(({ status }) => status), failing.count()], [['rejected', 'rejected'], 1]);
  const unknown = counted(() => Promise.resolve(undefined));
  assert.deepEqual(await Promise.all([cache.remember(key, unknown.ask), cache.remember(key, unknown.ask)]), [undefined, undefined]);
  assert.equal(await cache.remember(key, unknown.ask), undefined);
  assert.equal(unknown.count(), 2);
});

test('keys tell tokens and audiences apart, and are others in every cache', () => {
  const [one, other] = [new TokenCache(handClock(), TEN_MS), new TokenCache(handClock(), TEN_MS)];
  const keys = [one.keyOf('a'), one.keyOf('b'), one.keyOf('a', ['b']), one.keyOf('a', ['b', 'c']), one.keyOf('a', ['b,c']), one.keyOf('a","b'), other.keyOf('a')];
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(one.keyOf('a', ['b']), one.keyOf('a', ['b']));
});

test('nothing of a token can be found in it', async () => {
  const cache = new TokenCache<string>(handClock(), TEN_MS);
  await cache.remember(cache.keyOf('secret-token'), () => Promise.resolve('jane'));
  assert.ok(!inspect(cache, { showHidden: true, depth: 9 }).includes('secret'));
  assert.ok(!cache.keyOf('secret-token').includes('secret'));
});
