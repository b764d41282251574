import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FieldErrors } from '#errors';
import { validateDistinctPatterns } from './validate-sysctl-patterns.ts';

const SEED = 20_230_123;
const anyPattern = fc.tuple(fc.stringMatching(/^[ab.]{0,4}$/), fc.constantFrom('', '*')).map(([stem, end]) => stem + end);
const anyPatterns = fc.array(anyPattern, { maxLength: 6 });

function told(allowed: readonly string[], forbidden: readonly string[]): readonly string[] {
  const at = new FieldErrors();
  validateDistinctPatterns(allowed, forbidden, at);
  return at.causes.map(({ field, message }) => `${field} ${message}`);
}

/** Each compared with each. */
function comparedEach(allowed: readonly string[], forbidden: readonly string[]): readonly string[] {
  const matches = (wide: string, narrow: string): boolean => wide === narrow || (wide.endsWith('*') && narrow.startsWith(wide.slice(0, -1)));
  return allowed.flatMap((one, i) =>
    forbidden.flatMap((other, j) => {
      if (matches(other, one)) return [`allowedUnsafeSysctls[${i}] Invalid value: "${one}": sysctl overlaps with ${other}`];
      return matches(one, other) ? [`forbiddenSysctls[${j}] Invalid value: "${other}": sysctl overlaps with ${one}`] : [];
    }),
  );
}

test('settings that are allowed and forbidden are found as if each were compared with each', () => {
  fc.assert(
    fc.property(anyPatterns, anyPatterns, (allowed, forbidden) => assert.deepEqual(told(allowed, forbidden), comparedEach(allowed, forbidden))),
    { seed: SEED, numRuns: 2_000 },
  );
});

test('of lists as long as a body allows each is not compared with each', () => {
  const list = (prefix: string): readonly string[] => Array.from({ length: 100_000 }, (_, n) => `${prefix}${n}*`);
  assert.deepEqual(told(list('a'), list('b')), []);
  assert.ok(told(list('a'), list('a')).length > 1_000);
});
