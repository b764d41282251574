import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bytes, isFailure, type TestedEngine } from './test-support.ts';

/** Tests of what is left of an engine that was closed. */
export function closedSuite(tested: TestedEngine): void {
  const { put } = tested;

  it('answers nothing any more, and can be closed again', async () => {
    await put('/a', '1');
    const { engine } = tested;
    await engine.close();
    await engine.close();
    const asked = [
      engine.head(),
      engine.get('/a'),
      engine.scan({ start: '/', end: '0' }),
      engine.commit({ key: '/a', expect: 2, value: bytes('2') }),
      engine.commit({ key: '/b', expect: 7 }),
      engine.compact(1),
    ];
    for (const answer of await Promise.allSettled(asked)) assert.ok(answer.status === 'rejected' && isFailure('unavailable')(answer.reason));
  });

  if (tested.hasOwnTime) return;

  it('waits for no time to pass', async () => {
    await put('/a', '1', 0, 10);
    await put('/a', '2');
    await put('/b', '1', 0, 10);
    await tested.engine.close();
    assert.equal(tested.clock.steady.pending, 0);
  });
}
