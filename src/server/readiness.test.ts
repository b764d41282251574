import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock, type Clock } from '#base';
import type { Probe } from '#http';
import { Readiness } from './readiness.ts';
import { START_STEPS } from './start-steps.table.ts';

const engine = { head: () => Promise.resolve(1) };

/** What fails, by name. */
async function failing(readiness: Readiness, probe: Probe): Promise<readonly string[]> {
  const rows = await Promise.all(readiness.checks.map(async ({ name, check }) => ({ name, why: await check(probe) })));
  return rows.filter(({ why }) => why !== undefined).map(({ name }) => name);
}

test('R4.13-03 during the grace period livez overlooks what has not finished starting, readyz does not', async () => {
  let nowMs = 1_000;
  const clock: Clock = { nowMs: () => nowMs, after: systemClock.after };
  const readiness = new Readiness({ engine, clock, livezGraceMs: 5_000 });
  assert.deepEqual(await failing(readiness, 'livez'), []);
  assert.deepEqual(await failing(readiness, 'readyz'), ['informer-sync', ...START_STEPS]);
  nowMs += 5_000;
  assert.deepEqual(await failing(readiness, 'livez'), ['informer-sync', ...START_STEPS]);
  for (const step of START_STEPS) await readiness.step(step, () => Promise.resolve());
  assert.deepEqual(await failing(readiness, 'livez'), []);
  assert.deepEqual(await failing(readiness, 'readyz'), []);
});

test('R4.13-02 a store that cannot be reached, or does not answer in time, is neither live nor ready', async () => {
  const broken = new Readiness({ engine: { head: () => Promise.reject(new Error('gone')) }, clock: systemClock, livezGraceMs: 0 });
  assert.ok((await failing(broken, 'livez')).includes('etcd'));
  const clock: Clock = { nowMs: () => 0, after: (_delayMs, run) => (run(), () => {}) };
  const stalled = new Readiness({ engine: { head: () => new Promise(() => {}) }, clock, livezGraceMs: 0 });
  assert.ok((await failing(stalled, 'readyz')).includes('etcd'));
});
