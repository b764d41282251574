import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  checkConfigMapKey,
  checkDns1035Label,
  checkDnsLabel,
  checkDnsSubdomain,
  checkEnvVarName,
  checkLabelValue,
  checkPathSegment,
  checkPortName,
  checkPortNumber,
  checkQualifiedName,
  checkWildcardSubdomain,
  type Faults,
} from './names.ts';

const long = (count: number): string => 'a'.repeat(count);

const cases: readonly { readonly check: (value: string) => Faults; readonly good: readonly string[]; readonly bad: readonly string[] }[] = [
  { check: checkDnsLabel, good: ['a', '0', 'a-b', long(63)], bad: ['', '-a', 'a-', 'A', 'a.b', 'a_b', 'a\n', long(64)] },
  { check: checkDns1035Label, good: ['a', 'a0', 'a-b'], bad: ['', '0a', '-a', 'a-', 'A', long(64)] },
  {
    check: checkDnsSubdomain,
    good: ['a', 'a.b', '0.1', 'a-b.c', long(64), long(253)],
    bad: ['', '.', '..', 'a..b', 'a.', '-a', 'a/b', 'A', long(254)],
  },
  { check: checkWildcardSubdomain, good: ['*.a', '*.a.b'], bad: ['', '*', '*.', 'a', 'a.*', '*.*.a'] },
  { check: checkLabelValue, good: ['', 'a', 'A_b.c-d', '1', long(63)], bad: [' ', '-a', 'a-', 'a b', 'a/b', long(64)] },
  {
    check: checkQualifiedName,
    good: ['a', 'A_b.c', 'example.com/a', (long(63)), `${long(253)}/${long(63)}`],
    bad: ['', '/', '/a', 'a/', 'a/b/c', 'A.com/a', '-a', 'a b', long(64), `${long(254)}/a`],
  },
  { check: checkPathSegment, good: ['a', 'system:x', '', 'a b', '...'], bad: ['.', '..', 'a/b', 'a%b'] },
  { check: checkPortName, good: ['a', 'http', 'a-1', '1a'], bad: ['', '1', 'a--b', '-a', 'a-', 'A', 'a_b', long(16)] },
  { check: checkEnvVarName, good: ['A', '_a', '.a', '-a', 'a.b-c'], bad: ['', '1a', '.', '..', '..a', 'a b', 'a='] },
  { check: checkConfigMapKey, good: ['a', '1', '.a', 'a.b_c-D', '...a'.slice(2)], bad: ['', '.', '..', '..a', 'a b', 'a/b', long(254)] },
];

for (const { check, good, bad } of cases) {
  test(`${check.name || 'check'} takes what fits and says why the rest does not`, () => {
    for (const value of good) assert.equal(check(value), undefined, JSON.stringify(value));
    for (const value of bad) assert.ok((check(value)?.length ?? 0) > 0, JSON.stringify(value));
  });
}

test('port numbers', () => {
  for (const port of [1, 80, 65_535]) assert.equal(checkPortNumber(port), undefined);
  for (const port of [0, -1, 65_536]) assert.equal(checkPortNumber(port)?.length, 1);
});

test('names made of valid labels are valid subdomains, and no check takes a text with a control character', () => {
  const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/);
  fc.assert(fc.property(fc.array(label, { minLength: 1, maxLength: 8 }), (labels) => checkDnsSubdomain(labels.join('.')) === undefined));
  const strict = cases.map(({ check }) => check).filter((check) => check !== checkPathSegment);
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('\n', '\0', '\t'), fc.string(), (before, control, after) =>
      strict.every((check) => check(before + control + after) !== undefined),
    ),
  );
});

test('a limit is one of bytes, also where the text must not hold what takes more than one', () => {
  const why = 'must be no more than 15 characters';
  assert.equal(checkPortName('é'.repeat(7))?.includes(why), false);
  assert.equal(checkPortName('é'.repeat(8))?.[0], why);
  assert.equal(checkDnsLabel('é'.repeat(32))?.[0], 'must be no more than 63 characters');
});
