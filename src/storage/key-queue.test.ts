import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred, stayAlive } from '#base';
import type { Engine } from './engine.ts';
import { inKeyQueue } from './key-queue.ts';

const engineOf = (): Engine => ({}) as Engine;

test('who comes to the same key goes on one after the other, in order; others need not wait', async () => {
  const engine = engineOf();
  const steps: string[] = [];
  const gates: (() => void)[] = [];
  const come = (key: string, name: string): Promise<string> =>
    inKeyQueue(engine, key, async (hasWaited) => {
      steps.push(`${name} ${hasWaited ? 'waited' : 'at once'}`);
      await new Promise<void>((open) => gates.push(open));
      return name;
    });
  const all = [come('a', '1'), come('a', '2'), come('a', '3'), come('b', '4'), inKeyQueue(engineOf(), 'a', async () => '5')];
  assert.equal(await all[4], '5');
  assert.deepEqual(steps, ['1 at once', '4 at once']);
  for (const turn of [0, 2, 3]) {
    gates[turn]?.();
    await new Promise((resume) => setImmediate(resume));
  }
  gates[1]?.();
  assert.deepEqual(await Promise.all(all), ['1', '2', '3', '4', '5']);
  assert.deepEqual(steps, ['1 at once', '4 at once', '2 waited', '3 waited']);
});

test('who comes while some have left waits for those who have not, and for nobody once all have', async () => {
  const engine = engineOf();
  const order: string[] = [];
  const come = (name: string, then: () => void = () => {}): Promise<void> =>
    inKeyQueue(engine, 'a', async (hasWaited) => {
      order.push(`${name} ${hasWaited ? 'waited' : 'at once'}`);
      then();
    });
  const later: Promise<void>[] = [];
  const second = (): void => void later.push(come('3'));
  await Promise.all([come('1'), come('2', second)]);
  await Promise.all(later);
  await come('4');
  assert.deepEqual(order, ['1 at once', '2 waited', '3 waited', '4 at once']);
});

test('who fails lets the next one go on', async () => {
  const engine = engineOf();
  const failing = inKeyQueue(engine, 'a', () => Promise.reject(new Error('no')));
  const next = inKeyQueue(engine, 'a', async () => 'yes');
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'yes');
});

test('who has waited long goes on out of turn: the one ahead may wait for just that write', { timeout: 30_000 }, async (context) => {
  context.after(stayAlive());
  const engine = engineOf();
  const second = deferred<void>();
  const first = inKeyQueue(engine, 'a', () => second.promise);
  await inKeyQueue(engine, 'a', async (hasWaited) => {
    assert.equal(hasWaited, true);
    second.resolve();
  });
  await first;
});
