import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '#errors';
import { compileLabelSelector } from './label.ts';

/** Objects of the tests, by name. */
const OBJECTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  a: { app: 'x', tier: 'front' },
  b: { app: 'y', tier: 'front', n: '5' },
  c: { app: 'x', n: 'many' },
  d: { in: 'in', empty: '' },
  e: {},
};

const matching = (selector: string): string => {
  const matches = compileLabelSelector(selector);
  return Object.keys(OBJECTS)
    .filter((name) => matches === undefined || matches(OBJECTS[name]))
    .join('');
};

const cases: readonly (readonly [selector: string, matching: string])[] = [
  ['', 'abcde'],
  ['  ', 'abcde'],
  [' \t\r\n', 'abcde'],
  ['app\n=\tx\r\n', 'ac'],
  ['app', 'abc'],
  ['!app', 'de'],
  ['app=x', 'ac'],
  ['app==x', 'ac'],
  [' app = x ', 'ac'],
  ['app!=x', 'bde'],
  ['app=x,tier=front', 'a'],
  ['app=x,!tier', 'c'],
  ['app in (x, y)', 'abc'],
  ['app in (x)', 'ac'],
  ['app notin (x)', 'bde'],
  ['app notin (x,y),tier', ''],
  ['in in (in)', 'd'],
  ['empty=', 'd'],
  ['empty in (,)', 'd'],
  ['empty in ()', 'd'],
  ['empty in (x,)', 'd'],
  ['empty in (x,,y)', 'd'],
  ['empty in (,,,)', 'd'],
  ['n>4', 'b'],
  ['n<6', 'b'],
  ['n>5', ''],
  ['n > 1', 'b'],
  ['constructor', ''],
  ['!constructor', 'abcde'],
  ['example.com/a!=b', 'abcde'],
];

for (const [selector, names] of cases) {
  test(`R4.3 labelSelector ${JSON.stringify(selector)} matches ${names || 'nothing'}`, () => assert.equal(matching(selector), names));
}

const refused = [
  'app===x',
  'app=x y',
  'app=x;tier=front',
  '(app)',
  'app=(x)',
  'not app',
  'app>a',
  'a/b/c=d',
  '-a=b',
  'a=-b',
  'a in (b',
  'a in b',
  'a=b\u00a0',
  'a=\fb',
  '\u2003',
  'a in (,,)',
  'a in (b,,)',
  'a in',
  ',a',
  'a,',
  'a,,b',
  '!',
  '!a=b',
  '!__proto__',
  'n > -1',
  '=b',
  'a>',
  'a>99999999999999999999',
  `a=${'b'.repeat(64)}`,
];

test('R4.3 a labelSelector that cannot be read is a BadRequest', () => {
  for (const selector of refused) {
    assert.throws(
      () => compileLabelSelector(selector),
      (error) => error instanceof ApiError && error.reason === 'BadRequest',
      selector,
    );
  }
});

test('no text makes the parser fail in another way', () => {
  const piece = fc.oneof(fc.constantFrom('a', 'in', 'notin', '!', '=', '==', '(', ')', ',', '<', '>', ' '), fc.string({ maxLength: 3 }));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12, size: 'max' }), (pieces) => {
      try {
        compileLabelSelector(pieces.join(''))?.({ a: 'b' });
        return true;
      } catch (error) {
        return error instanceof ApiError && error.code === 400;
      }
    }),
  );
});

const words: readonly (readonly [selector: string, message: string])[] = [
  ['a in b', "unable to parse requirement: found 'b' expected: '('"],
  ['a in', "unable to parse requirement: found '' expected: '('"],
  ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
  ['a in (b,,)', "unable to parse requirement: found ')', expected: ',', or identifier"],
  ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
  ['a,', "found '', expected: identifier after ','"],
  ['a,,b', "found ',', expected: identifier after ','"],
];

for (const [selector, message] of words) {
  test(`R4.3 what is wrong with labelSelector ${JSON.stringify(selector)}`, () => assert.throws(() => compileLabelSelector(selector), { message }));
}

test('R4.3 all that is wrong with the values of a requirement is told at once, in their order, and of a wrong key that alone, whatever follows it', () => {
  const told = (selector: string): string => {
    try {
      compileLabelSelector(selector);
      return '';
    } catch (error) {
      return (error as Error).message.replaceAll(/ \(e\.g\..*?'\)/g, '');
    }
  };
  const value = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  const at = (position: number, shown: string): string => `values[${position}][a]: Invalid value: "${shown}": ${value}`;
  assert.equal(told('a in (-c,-b,-c)'), `unable to parse requirement: [${at(0, '-b')}, ${at(1, '-c')}]`);
  assert.equal(told('a>-b'), `unable to parse requirement: [values[0]: Invalid value: "-b": for 'Gt', 'Lt' operators, the value must be an integer, ${at(0, '-b')}]`);
  const name = "name part must be non-empty; name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
  for (const selector of ['x/=-b', 'x/ in b', 'x/=(', '!x/ y', 'x/ y']) assert.equal(told(selector), `unable to parse requirement: <nil>: Invalid value: "x/": ${name}`, selector);
});
