import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#base';
import { engineSuite, HISTORY_SECONDS } from './engine-suite.ts';
import type { Engine } from './engine.ts';
import { driver } from './engines/memory/index.ts';
import { withTransformer, type ValueTransformer } from './value-transformer.ts';

/** Stored bytes that say nothing without the transformer. */
const FLIPPED: ValueTransformer = {
  toStorage: (_key, value) => value.map((byte) => byte ^ 0xff),
  fromStorage: (_key, kept) => ({ value: kept.map((byte) => byte ^ 0xff), isStale: false }),
};

const open = (clock = systemClock): Promise<Engine> => driver.open({ location: '', historySeconds: HISTORY_SECONDS, clock, log: () => {} });

engineSuite('memory, whose values are stored in another form', {
  open: async (clock) => withTransformer(await open(clock), FLIPPED),
});

test('all who read a value that is stored in another form share one array: that of who wrote it, or that of who read it first', async () => {
  const engine = await open();
  const [writer, reader] = [withTransformer(engine, FLIPPED), withTransformer(engine, FLIPPED)];
  const value = Buffer.from('x');
  await writer.commit({ key: '/a', expect: 0, value });
  const lost = await writer.commit({ key: '/a', expect: 0, value: Buffer.from('y') });
  const first = (await reader.get('/a'))?.value;
  assert.deepEqual(Buffer.from(first!), value);
  for (const [one, shared] of [[writer, value], [reader, first]] as const) {
    assert.equal((await one.get('/a'))?.value, shared);
    assert.equal((await one.scan({ start: '/', end: '0' })).entries[0]?.value, shared);
  }
  assert.equal(!lost.done && lost.found?.value, value);
  await engine.close();
});

test('values in another form cost an engine neither the order of its writes nor the head that it has at hand', () => {
  for (const below of [{ keepsOrder: true, headAtHand: () => 7 }, { keepsOrder: false }] as readonly Partial<Engine>[]) {
    const over = withTransformer(below as Engine, FLIPPED);
    assert.deepEqual([over.keepsOrder, over.headAtHand?.()], [below.keepsOrder, below.headAtHand?.()]);
  }
});
