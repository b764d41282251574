import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isDeepEqual } from '#base';
import { coveredBy, mergeTolerations } from './merge-tolerations.ts';
import type { Toleration } from './toleration.ts';

const SEED = 20_230_123;

const few = <T>(...values: T[]): fc.Arbitrary<T> => fc.constantFrom(...values);
/** Only where a time may be said: elsewhere it means nothing. */
const anyToleration: fc.Arbitrary<Toleration> = fc
  .record({ key: few(undefined, 'a', 'b'), operator: few(undefined, 'Equal', 'Exists'), value: few(undefined, 'v', 'w'), effect: few(undefined, 'NoSchedule', 'NoExecute'), tolerationSeconds: few(undefined, 0, 5, 60) })
  .map(({ tolerationSeconds, ...one }) => {
    const said = { ...one, ...(one.effect === 'NoExecute' ? { tolerationSeconds } : {}) };
    return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) as unknown as Toleration;
  });
const anyList = fc.array(anyToleration, { maxLength: 8 });

/** Whether `wide` tolerates every taint that `narrow` tolerates. */
function covers(wide: Toleration, narrow: Toleration): boolean {
  if (isDeepEqual(wide, narrow)) return true;
  const isForAnyKey = !wide.key && wide.operator === 'Exists';
  if ((narrow.key ?? '') !== (wide.key ?? '') && !isForAnyKey) return false;
  if (wide.effect && narrow.effect !== wide.effect) return false;
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (wide.operator === 'Exists') return true;
  return (wide.operator ?? '') === (narrow.operator ?? '') && (wide.value ?? '') === (narrow.value ?? '');
}

/** Each compared with each. */
function merged(all: readonly Toleration[]): readonly Toleration[] {
  const kept: Toleration[] = [];
  all.forEach((one, position) => {
    const later = all.slice(position + 1).filter((other) => !isDeepEqual(one, other));
    if (![...kept, ...later].some((other) => covers(other, one))) kept.push(one);
  });
  return kept;
}

test('what is left of two lists is what no other toleration covers', () => {
  fc.assert(
    fc.property(anyList, anyList, (first, second) => assert.deepEqual(mergeTolerations(first, second), merged([...first, ...second]))),
    { seed: SEED, numRuns: 2_000 },
  );
});

test('a list covers what one of its tolerations covers', () => {
  fc.assert(
    fc.property(anyList, anyToleration, (list, one) => assert.equal(coveredBy(list)(one), list.some((wide) => covers(wide, one)))),
    { seed: SEED, numRuns: 2_000 },
  );
});

test('of lists as long as a body allows each is not compared with each', () => {
  const list = Array.from({ length: 50_000 }, (_, n) => ({ key: 'a', operator: 'Equal', value: `v${n}`, effect: 'NoExecute' })) as unknown as Toleration[];
  assert.equal(mergeTolerations(list, list).length, list.length);
});
