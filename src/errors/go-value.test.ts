import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldErrors } from './field-errors.ts';
import { goPlain, goStruct, goTextMap, goTexts, goTypeOf, goUntyped, GoValue } from './go-value.ts';
import { invalid } from './make.ts';
import { noNumber } from './no-number.ts';

const SHOWN: readonly (readonly [title: string, value: unknown, text: string])[] = [
  ['a text', 'a"b', '"a\\"b"'],
  ['what cannot be printed', 'a\u0000\u0007\n\u007f\u200b\u{e0001}ü<', '"a\\x00\\a\\n\\x7f\\u200b\\U000e0001ü<"'],
  ['a number', -1, '-1'],
  ['a large number', 9007199254740993n, '9007199254740993'],
  ['a boolean', false, 'false'],
  ['null', null, '"null"'],
  ['nothing', undefined, '"null"'],
  ['texts', ['a', 'b'], '[]string{"a", "b"}'],
  ['no texts', [], '[]string{}'],
  ['a map of texts', { b: '2', a: '1' }, 'map[string]string{"a":"1", "b":"2"}'],
  ['a map with a name of objects', JSON.parse('{"__proto__":"x"}') as unknown, 'map[string]string{"__proto__":"x"}'],
  ['anything else', { a: [1n] }, '{"a":[1]}'],
  ['a value in Go notation', new GoValue('T{}'), 'T{}'],
  ['an absent list of a named type', goTexts(null, 'core.Scope'), '[]core.Scope(nil)'],
  ['an absent map', goTextMap(undefined), 'map[string]string(nil)'],
  ['a structure', goStruct('p.T', { A: 'x', N: 1, In: goTexts(['y']) }), 'p.T{A:"x", N:1, In:[]string{"y"}}'],
];

for (const [title, value, text] of SHOWN) {
  test(`${title} stands in a message as clients know it`, () => {
    const at = new FieldErrors('spec');
    at.invalid(value, 'no');
    assert.deepEqual(at.causes, [{ reason: 'FieldValueInvalid', message: `Invalid value: ${text}: no`, field: 'spec' }]);
  });
}

test('where there is nothing to say beside the value, nothing is said', () => {
  const at = new FieldErrors('kind');
  at.invalid('X', '');
  at.duplicate('y', 'must differ');
  assert.deepEqual(at.causes.map(({ message }) => message), ['Invalid value: "X"', 'Duplicate value: "y": must differ']);
});

test('the message says once what stands in several causes', () => {
  const at = new FieldErrors('spec');
  for (let i = 0; i < 2; i++) at.required();
  const one = invalid({ group: '', kind: 'Pod' }, 'p', at.causes);
  assert.equal(one.message, 'Pod "p" is invalid: spec: Required value');
  assert.equal(one.details?.causes?.length, 2);
  at.child('a').required();
  assert.equal(invalid({ group: '', kind: 'Pod' }, 'p', at.causes).message, 'Pod "p" is invalid: [spec: Required value, spec.a: Required value]');
});

test('values without types of their own, as messages show them and as running text does', () => {
  const value = { b: [1, 'x', null, { c: true }], a: 1.5e-7, 'é': 'é' };
  assert.equal((goUntyped(value) as GoValue).text, 'map[string]interface {}{"a":1.5e-07, "b":[]interface {}{1, "x", interface {}(nil), map[string]interface {}{"c":true}}, "é":"é"}');
  assert.equal(goPlain(value), 'map[a:1.5e-07 b:[1 x <nil> map[c:true]] é:é]');
  assert.deepEqual(['x', 1, 1.5, 1n, true, null, [], {}].map(goTypeOf), ['string', 'int64', 'float64', 'int64', 'bool', '<nil>', '[]interface {}', 'map[string]interface {}']);
  assert.deepEqual(['x', 1, null].map(goUntyped), ['x', 1, null]);
  assert.deepEqual([1e20, -(2 ** 63), 2n ** 62n].map(goPlain), ['1e+20', '-9.223372036854776e+18', '4611686018427387904']);
  assert.deepEqual([1e20, 2n ** 62n].map(goTypeOf), ['float64', 'int64']);
  assert.equal((goUntyped([1e20, 2n ** 62n]) as GoValue).text, '[]interface {}{1e+20, 4611686018427387904}');
});

test('why a text is no number is told as Go tells it', () => {
  const told = [noNumber('ParseInt', '-1x'), noNumber('ParseInt', '-99999999999999999999'), noNumber('ParseUint', '-1'), noNumber('ParseUint', '99999999999999999999'), noNumber('Atoi', ''), noNumber('Atoi', '\u0007')];
  assert.deepEqual(told, [
    'strconv.ParseInt: parsing "-1x": invalid syntax',
    'strconv.ParseInt: parsing "-99999999999999999999": value out of range',
    'strconv.ParseUint: parsing "-1": invalid syntax',
    'strconv.ParseUint: parsing "99999999999999999999": value out of range',
    'strconv.Atoi: parsing "": invalid syntax',
    String.raw`strconv.Atoi: parsing "\a": invalid syntax`,
  ]);
});
