import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillClock } from '#base';
import { usedMib } from '#test-support';
import { engineSuite, HISTORY_SECONDS } from '../../engine-suite.ts';
import type { Write } from '../../engine.ts';
import { driver } from './index.ts';

engineSuite('memory', {
  open: (clock) => driver.open({ location: '', historySeconds: HISTORY_SECONDS, clock, log: () => {} }),
});

test('what is forgotten is forgotten together, every five seconds at most: it costs as much as there is left', async () => {
  const clock = new StillClock();
  const engine = await driver.open({ location: '', historySeconds: HISTORY_SECONDS, clock, log: () => {} });
  for (const expect of [0, 2, 3]) {
    await engine.commit({ key: '/a', expect, value: new Uint8Array() });
    clock.turn(1_000);
  }
  const kept: number[] = [];
  clock.turn((HISTORY_SECONDS - 3) * 1_000);
  for (let second = 0; second < 6; second++) {
    let oldest = 1;
    while (await engine.get('/a', oldest).then(() => false, () => true)) oldest++;
    kept.push(oldest);
    clock.turn(1_000);
  }
  assert.deepEqual(kept, [2, 2, 2, 2, 2, 4]);
  await engine.close();
});

test('what is over at once, and what is to be forgotten at once, goes in several turns of the event loop', async () => {
  const time = { nowMs: 0, timers: new Set<() => void>() };
  const after = (_: number, run: () => void): (() => void) => {
    time.timers.add(run);
    return () => time.timers.delete(run);
  };
  const turn = (): void => {
    const due = [...time.timers];
    time.timers.clear();
    for (const run of due) run();
  };
  const engine = await driver.open({ location: '', historySeconds: HISTORY_SECONDS, clock: { nowMs: () => time.nowMs, after }, log: () => {} });
  const isForgotten = (revision: number): Promise<boolean> => engine.get('/', revision).then(() => false, () => true);
  const entries = async (): Promise<number> => (await engine.scan({ start: '/', end: '0' })).entries.length;
  const keys = 6_000;
  for (let n = 0; n < keys; n++) await engine.commit({ key: `/${n}`, expect: 0, value: new Uint8Array(), ttlSeconds: HISTORY_SECONDS });
  time.nowMs += HISTORY_SECONDS * 1_000;
  turn();
  const left = await entries();
  assert.ok(left > 0 && left < keys, `${left} entries are left`);
  assert.deepEqual([await isForgotten(1), await isForgotten(keys)], [true, false]);
  for (let turns = 0; turns < 100 && (await entries()) > 0; turns++) turn();
  assert.deepEqual([await entries(), await isForgotten(keys), await isForgotten(keys + 1)], [0, true, false]);
  await engine.close();
});

test('what is forgotten takes no memory: replaced values, keys that were removed, and when they would have expired', async () => {
  const engine = await driver.open({ location: '', historySeconds: HISTORY_SECONDS, clock: new StillClock(), log: () => {} });
  const write = async (write: Write): Promise<number> => {
    const commit = await engine.commit(write);
    assert.ok(commit.done);
    return commit.revision;
  };
  let live = await write({ key: '/a', expect: 0, value: new Uint8Array() });
  const beforeMib = await usedMib();
  for (let n = 0; n < 20_000; n++) {
    live = await write({ key: '/a', expect: live, value: new Uint8Array() });
    await engine.compact(live);
    const made = await write({ key: `/gone/${n}`, expect: 0, value: new Uint8Array(), ttlSeconds: 1_000 });
    await engine.compact(await write({ key: `/gone/${n}`, expect: made }));
  }
  const grownMib = (await usedMib()) - beforeMib;
  assert.ok(grownMib < 2, `${grownMib} MiB more`);
  await engine.close();
});
