import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred, silentLog, StillClock, systemClock, type Clock } from '#base';
import { WorkList } from './work-list.ts';

const options = { about: 'a thing', clock: systemClock, log: silentLog, signal: new AbortController().signal };

test('news of a name while it is worked on means once more, however often; other names do not wait', async () => {
  const done: string[] = [];
  const gate = deferred<void>();
  const end = deferred<void>();
  const list = new WorkList(async (name) => {
    done.push(name);
    // Whatever is done too often ends here.
    if (done.length > 3) return new Promise(() => {});
    if (name === 'a' && done.filter((one) => one === 'a').length === 1) await gate.promise;
    else if (name === 'a') end.resolve();
    else gate.resolve();
  }, options);
  list.add('a');
  list.add('a');
  // Nothing is done within the event that is told.
  assert.deepEqual(done, []);
  await Promise.resolve();
  list.add('a');
  list.add('a');
  list.add('b');
  await end.promise;
  await new Promise(setImmediate);
  assert.deepEqual(done, ['a', 'b', 'a']);
});

test('nothing is done any more, or tried again, once the end is near', async () => {
  const stop = new AbortController();
  const rung: unknown[] = [];
  const clock: Clock = { nowMs: () => 0, after: (_delayMs, run) => (rung.push(run), () => {}) };
  const done: string[] = [];
  const list = new WorkList(async (name) => {
    done.push(name);
    list.add(name);
    stop.abort();
    throw new Error('interrupted');
  }, { ...options, clock, signal: stop.signal });
  list.add('a');
  list.add('b');
  await new Promise(setImmediate);
  list.add('c');
  await new Promise(setImmediate);
  assert.deepEqual([done, rung], [['a'], []]);
});

test('what fails is tried again later', async () => {
  const rung: (() => void)[] = [];
  const asked = deferred<void>();
  const clock: Clock = { nowMs: () => 0, after: (_delayMs, run) => (rung.push(run), asked.resolve(), () => {}) };
  const again = deferred<void>();
  let attempts = 0;
  const list = new WorkList(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('not now');
    again.resolve();
  }, { ...options, clock });
  list.add('a');
  await asked.promise;
  rung[0]?.();
  await again.promise;
  assert.equal(attempts, 2);
});

test('what fails again and again is tried once a second, however much is heard of it meanwhile', async () => {
  const clock = new StillClock();
  const done: string[] = [];
  const told: unknown[] = [];
  const warn = (_message: string, facts: { readonly name?: unknown } = {}): number => told.push(facts.name);
  const list = new WorkList(async (name) => {
    done.push(name);
    throw new Error('not now');
  }, { ...options, clock, log: { ...silentLog, warn } });
  for (let news = 0; news < 5; news++) {
    for (const name of ['a', 'b']) list.add(name);
    await new Promise(setImmediate);
    clock.turn(100);
  }
  assert.equal(done.splice(0).length, 10);
  for (let turns = 0; turns < 40; turns++) {
    clock.turn(100);
    await new Promise(setImmediate);
  }
  assert.deepEqual(done.sort(), [...'aaaa', ...'bbbb']);
  assert.deepEqual(told, ['a', 'b'], 'the same reason is told once in ten minutes');
});
