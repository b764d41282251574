import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FieldErrors } from '#errors';
import { collectGarbage } from '#test-support';
import { newJudging } from './judging.ts';
import { dropNulls, fillDefaults } from './defaults.ts';
import { isOfFormat } from './formats.ts';
import { validateListKeys } from './list-keys.ts';
import { compilePattern } from './pattern.ts';
import { sizeOfPattern } from './pattern-size.ts';
import type { SchemaProps } from './props.ts';
import { prune } from './prune.ts';
import { publishWhole } from './publish-whole.ts';
import { publishSchema } from './publish.ts';
import { createStructural } from './structural.ts';
import { validateBySchema } from './validate.ts';

const parse = (text: string): unknown => JSON.parse(text) as unknown;
const kept = (props: SchemaProps, value: unknown, isResource = false): readonly [unknown, readonly string[]] => {
  const { value: next, dropped } = prune(createStructural(props), value, { hasHead: isResource });
  return [next, dropped];
};
const faults = (props: SchemaProps, value: unknown): readonly string[] => {
  const at = new FieldErrors();
  validateBySchema(props, value, at);
  return at.causes.map(({ reason, field }) => `${reason?.replace('FieldValue', '')} ${field ?? ''}`.trim());
};
const text: SchemaProps = { type: 'string' };
const object = (properties: Readonly<Record<string, SchemaProps>>, rest: SchemaProps = {}): SchemaProps => ({ type: 'object', properties, ...rest });

const PRUNED: readonly (readonly [title: string, SchemaProps, given: string, left: string, dropped: readonly string[]])[] = [
  ['what is unknown goes', object({ a: text }), '{"a":"x","b":1}', '{"a":"x"}', ['b']],
  ['in lists too', object({ l: { type: 'array', items: object({ a: text }) } }), '{"l":[{"b":1},{"a":"x"}],"z":1}', '{"l":[{},{"a":"x"}]}', ['l[0].b', 'z']],
  ['maps keep their members', object({ m: { type: 'object', additionalProperties: object({ a: text }) } }), '{"m":{"k":{"a":"x","b":1}}}', '{"m":{"k":{"a":"x"}}}', ['m.k.b']],
  ['what may be anything is not looked into', { 'x-kubernetes-preserve-unknown-fields': true }, '{"a":[{"b":{"c":null}}]}', '{"a":[{"b":{"c":null}}]}', []],
  ['nor are its lists', object({ l: { 'x-kubernetes-preserve-unknown-fields': true } }), '{"l":[{"a":{"b":1}}]}', '{"l":[{"a":{"b":1}}]}', []],
  [
    'items of a list that keeps what is unknown keep it, and what is described inside of them does not',
    object({ l: { type: 'array', items: object({ a: object({}) }), 'x-kubernetes-preserve-unknown-fields': true } }),
    '{"l":[{"b":1,"a":{"c":1}}]}',
    '{"l":[{"b":1,"a":{}}]}',
    ['l[0].a.c'],
  ],
  [
    'what is described inside of it is',
    { 'x-kubernetes-preserve-unknown-fields': true, properties: { a: object({ b: text }) } },
    '{"z":1,"a":{"b":"x","c":1}}',
    '{"z":1,"a":{"b":"x"}}',
    ['a.c'],
  ],
  ['additional members without schema lose theirs', { type: 'object', additionalProperties: true }, '{"a":{"b":1},"c":1}', '{"a":{},"c":1}', ['a.b']],
  ['__proto__ is a name as any other', object({ constructor: text }), '{"__proto__":{"a":1},"constructor":"x"}', '{"constructor":"x"}', ['__proto__']],
  ['and can be declared', parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as SchemaProps, '{"__proto__":"x"}', '{"__proto__":"x"}', []],
  [
    'objects of the API keep their head',
    object({ e: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: object({ a: text }) } } }),
    '{"e":{"kind":"K","apiVersion":"v1","metadata":{"x":1},"spec":{"a":"x"},"b":1}}',
    '{"e":{"kind":"K","apiVersion":"v1","metadata":{"x":1},"spec":{"a":"x"}}}',
    ['e.b'],
  ],
  ['other objects have no head', object({ o: object({ a: text }) }), '{"o":{"kind":"K","metadata":{"x":1},"a":"x"}}', '{"o":{"a":"x"}}', ['o.kind', 'o.metadata']],
];

for (const [title, props, given, left, dropped] of PRUNED) {
  test(`pruning: ${title}`, () => {
    const source = parse(given);
    const [next, gone] = kept(props, source);
    assert.equal(JSON.stringify(next), left);
    assert.deepEqual(gone, dropped);
    assert.equal(JSON.stringify(source), given, 'the source is as it was');
  });
}

test('pruning: an object of the API keeps its head, and nothing else that nobody declares', () => {
  const value = { kind: 'K', apiVersion: 'v1', metadata: { x: 1 }, a: 'x', b: 1 };
  const { b: _, ...left } = value;
  assert.deepEqual(kept(object({ a: text }), value, true), [left, ['b']]);
  assert.deepEqual(kept(object({ a: text }, { 'x-kubernetes-embedded-resource': true }), value, true), [left, ['b']]);
  assert.deepEqual(kept(object({ a: text }), value), [{ a: 'x' }, ['kind', 'apiVersion', 'metadata', 'b']]);
});

const FILLED: readonly (readonly [title: string, SchemaProps, given: string, filled: string])[] = [
  ['what is absent', object({ a: { ...text, default: 'd' } }), '{}', '{"a":"d"}'],
  ['from the outside in', object({ o: object({ a: { ...text, default: 'd' } }, { default: {} }) }), '{}', '{"o":{"a":"d"}}'],
  ['but not what is there', object({ o: object({ a: { ...text, default: 'd' } }, { default: { a: 'x' } }) }), '{"o":{}}', '{"o":{"a":"d"}}'],
  ['null where it has no place', object({ a: { ...text, default: 'd' }, b: text }), '{"a":null,"b":null}', '{"a":"d"}'],
  ['not null where it may be', object({ a: { ...text, default: 'd', nullable: true } }), '{"a":null}', '{"a":null}'],
  ['items', object({ l: { type: 'array', items: object({ a: { ...text, default: 'd' } }) } }), '{"l":[{},{"a":"x"}]}', '{"l":[{"a":"d"},{"a":"x"}]}'],
  ['members of maps', object({ m: { type: 'object', additionalProperties: object({ a: { ...text, default: 'd' } }) } }), '{"m":{"k":{}}}', '{"m":{"k":{"a":"d"}}}'],
  ['items that are null', object({ l: { type: 'array', items: { ...text, default: 'd' } } }), '{"l":[null,"x"]}', '{"l":["d","x"]}'],
  ['no items that are null and have no default', object({ l: { type: 'array', items: { ...text } }, a: { ...text, default: 'd' } }), '{"l":[null]}', '{"l":[null],"a":"d"}'],
  ['members of maps that are null', object({ m: { type: 'object', additionalProperties: { ...text, default: 'd' } } }), '{"m":{"k":null,"j":"x"}}', '{"m":{"k":"d","j":"x"}}'],
  ['nothing in what nobody declares', object({ a: { ...text, default: 'd' } }, { 'x-kubernetes-preserve-unknown-fields': true }), '{"z":{"a":null},"y":[{}]}', '{"z":{"a":null},"y":[{}],"a":"d"}'],
  ['nothing where the default is null', object({ a: { ...text, default: null, nullable: true } }), '{}', '{}'],
  ['a member called __proto__', parse('{"type":"object","properties":{"__proto__":{"type":"string","default":"d"}}}') as SchemaProps, '{}', '{"__proto__":"d"}'],
];

for (const [title, props, given, filled] of FILLED) {
  test(`defaults fill ${title}`, () => {
    const schema = createStructural(props);
    const value = parse(given);
    dropNulls(schema, value);
    fillDefaults(schema, value);
    assert.equal(JSON.stringify(value), filled);
  });
}

test('what keeps everything keeps members that nobody declares, and nulls, which are judged as they are', () => {
  const props = object({ a: text, l: { type: 'array', items: object({ b: text }) } });
  const given = '{"a":null,"l":[{"b":null,"c":{"d":null}}],"z":null}';
  const schema = createStructural(props, { keepsUnknown: true });
  const { value } = prune(schema, parse(given));
  dropNulls(schema, value);
  assert.equal(JSON.stringify(value), given);
  assert.deepEqual(faults(props, value), ['Invalid a', 'Invalid l.b']);
});

test('nulls that nobody declares go wherever they are members, and stay as items; what is applied keeps those that the schema refuses', () => {
  const inner = object({ a: text, free: {}, ios: { 'x-kubernetes-int-or-string': true }, choice: { enum: ['x'] }, empty: { enum: [] }, null: { ...text, nullable: true } });
  const list: SchemaProps = { type: 'array', items: inner };
  const schema = createStructural(object({ o: inner, l: list, m: { type: 'object', additionalProperties: inner }, t: { type: 'object', additionalProperties: text }, any: { type: 'object', additionalProperties: true } }));
  const [one, any] = ['{"a":null,"free":null,"ios":null,"choice":null,"empty":null,"null":null}', '{"k":null}'];
  const left = (choice: { readonly keepsRefused?: boolean }): string => {
    const value = parse(`{"o":${one},"l":[${one},null],"m":{"k":${one}},"t":{"k":null},"any":${any}}`);
    dropNulls(schema, value, choice);
    return JSON.stringify(value);
  };
  const all = (kept: string, text: string): string => `{"o":${kept},"l":[${kept},null],"m":{"k":${kept}},"t":${text},"any":${any}}`;
  assert.equal(left({}), all('{"null":null}', '{}'));
  assert.equal(left({ keepsRefused: true }), all('{"a":null,"ios":null,"choice":null,"null":null}', '{"k":null}'));
});

test('defaults are not shared between objects', () => {
  const schema = createStructural(object({ l: { type: 'array', items: text, default: ['x'] } }));
  const [one, other] = [{}, {}] as [{ l?: string[] }, { l?: string[] }];
  fillDefaults(schema, one);
  fillDefaults(schema, other);
  one.l?.push('y');
  assert.deepEqual(other, { l: ['x'] });
});

const [LONG, BEGINS]: readonly [SchemaProps, SchemaProps] = [{ minLength: 3 }, { pattern: '^x' }];

const JUDGED: readonly (readonly [title: string, SchemaProps, value: unknown, found: readonly string[]])[] = [
  ['a type', object({ a: text }), { a: 5 }, ['Invalid a']],
  ['a type in a list, told of the list', object({ a: { type: 'array', items: text } }), { a: ['x', 5] }, ['Invalid a']],
  ['null', object({ a: text }), { a: null }, ['Invalid a']],
  ['null where it may be', object({ a: { ...text, nullable: true } }), { a: null }, []],
  ['a whole number as a number', object({ a: { type: 'number' } }), { a: 1 }, []],
  ['a fraction as an integer', object({ a: { type: 'integer' } }), { a: 1.5 }, ['Invalid a']],
  ['an integer beyond 2^53', object({ a: { type: 'integer', maximum: 10 } }), { a: 2n ** 60n }, ['Invalid a']],
  ['an integer or a text', object({ a: { 'x-kubernetes-int-or-string': true } }), { a: true }, ['Invalid a']],
  ['what is almost an integer', object({ a: { type: 'integer' } }), { a: 3.000000000001 }, []],
  ['a number that no integer can be', object({ a: { type: 'integer' } }), { a: 1e21 }, ['Invalid a']],
  ['a fraction as the whole number it begins with', object({ a: { enum: [1] } }), { a: 1.5 }, []],
  ['a factor below zero', object({ a: { type: 'integer', multipleOf: -1 } }), { a: 5 }, ['Invalid a']],
  ['choices of different alternatives', object({ a: { allOf: [{ enum: ['x'] }, { enum: ['y'] }] } }), { a: 'z' }, ['NotSupported a', 'NotSupported a', 'Invalid <nil>']],
  ['alternatives by how much they ask of such a value', object({ a: { ...text, anyOf: [{ minLength: 9 }, { format: 'date' }] } }), { a: 'x' }, ['Invalid <nil>', 'Invalid a']],
  ['a large choice', object({ a: { enum: [2n ** 60n] } }), { a: 1 }, ['NotSupported a']],
  ['a required member', object({ a: text }, { required: ['a'] }), {}, ['Required a']],
  ['a required member with a default', object({ a: { ...text, default: 'd' } }, { required: ['a'] }), {}, ['Required a']],
  ['a required member with a hidden name', { type: 'object', required: ['constructor', '__proto__'] }, {}, ['Required constructor', 'Required __proto__']],
  ['a choice', object({ a: { enum: ['x', { b: 1 }, null] } }), { a: 'y' }, ['NotSupported a']],
  ['a choice among objects', object({ a: { enum: ['x', { b: 1 }] } }), { a: { b: 1 } }, []],
  ['a text that is too long', object({ a: { ...text, maxLength: 1 } }), { a: 'xy' }, ['Invalid a']],
  ['a text that is too short', object({ a: { ...text, minLength: 2 } }), { a: 'x' }, ['Invalid a']],
  ['lengths in characters', object({ a: { ...text, maxLength: 1 } }), { a: '😀' }, []],
  ['a pattern', object({ a: { ...text, pattern: '^a+$' } }), { a: 'b' }, ['Invalid a']],
  ['a format', object({ a: { ...text, format: 'ipv4' } }), { a: '300.1.1.1' }, ['Invalid a']],
  ['bounds', object({ a: { type: 'integer', minimum: 1, exclusiveMinimum: true } }), { a: 1 }, ['Invalid a']],
  ['multiples', object({ a: { type: 'number', multipleOf: 0.1 } }), { a: 0.3 }, []],
  ['no multiple', object({ a: { type: 'number', multipleOf: 0.1 } }), { a: 0.35 }, ['Invalid a']],
  ['a format of numbers', object({ a: { type: 'integer', format: 'int32' } }), { a: 2 ** 31 }, []],
  ['null among choices', object({ a: { nullable: true, enum: [null, 'x'] } }), { a: null }, ['NotSupported a']],
  ['a text that is too long and of another pattern', object({ a: { ...text, maxLength: 1, pattern: '^b' } }), { a: 'xy' }, ['Invalid a']],
  ['a whole number below a fraction', object({ a: { type: 'number', minimum: 0.5 } }), { a: 0 }, []],
  ['a fraction below a fraction', object({ a: { type: 'number', minimum: 0.5 } }), { a: 0.4 }, ['Invalid a']],
  ['members beside those that are named', object({ m: { type: 'object', additionalProperties: false } }), { m: { k: 'x' } }, ['Invalid m']],
  ['a list where a text of a format should be', object({ a: { ...text, format: 'date' } }), { a: [] }, []],
  ['too few items', object({ a: { type: 'array', minItems: 1 } }), { a: [] }, ['Invalid a']],
  ['too many members', { type: 'object', maxProperties: 1 }, { a: 1, b: 1 }, ['Invalid <nil>']],
  ['an object as a whole, by its choices', { enum: [{}] }, { a: 1 }, ['NotSupported <nil>']],
  ['members of a map', object({ m: { type: 'object', additionalProperties: { type: 'integer' } } }), { m: { k: 'x' } }, ['Invalid m.k']],
  ['no alternative', object({ a: { anyOf: [{ minLength: 2 }, { pattern: '^x' }] } }), { a: 'y' }, ['Invalid <nil>', 'Invalid a']],
  ['two alternatives where one may be', object({ a: { oneOf: [{ minLength: 1 }, { pattern: '^x' }] } }), { a: 'xy' }, ['Invalid <nil>']],
  ['not all', object({ a: { allOf: [{ minLength: 2 }, { pattern: '^x' }] } }), { a: 'x' }, ['Invalid a', 'Invalid <nil>']],
  ['the same fault of two alternatives once', object({ a: { allOf: [LONG, LONG] } }), { a: 'x' }, ['Invalid a', 'Invalid <nil>']],
  ['members that no property names', { additionalProperties: text }, { k: 5 }, ['Invalid k']],
  ['what must not be', object({ a: { not: { pattern: '^x' } } }), { a: 'x' }, ['Invalid <nil>']],
];

for (const [title, props, value, found] of JUDGED) test(`schemas judge ${title}`, () => assert.deepEqual(faults(props, value), found));

const KEYWORDS: readonly (readonly [props: SchemaProps, taken: readonly unknown[], refused: readonly unknown[]])[] = [
  [{ minimum: 2 }, [2, 2.5, 2n ** 60n, 'x'], [1, 1.9, -(2n ** 60n)]],
  [{ minimum: 2, exclusiveMinimum: true }, [2.1, 3], [1, 2]],
  [{ maximum: 2 }, [1, 1.9, 2], [2.1, 3, 2n ** 60n]],
  [{ maximum: 2, exclusiveMaximum: true }, [1, 1.9], [2, 3]],
  [{ multipleOf: 3 }, [0, 3, -6, 4.5 * 2, 3n * 2n ** 60n], [1, 4, 2n ** 60n, 4.5]],
  [{ multipleOf: 1.5 }, [4.5, 4], [4.4]],
  [{ multipleOf: 0.5 }, [1, 1.5], [1.2]],
  [{ minLength: 2 }, ['ab', '😀😀', 5], ['', 'a', '😀']],
  [{ maxLength: 2 }, ['', 'ab', '😀😀', [1, 2, 3]], ['abc']],
  [{ minItems: 1, maxItems: 2 }, [[1], [1, 2], ''], [[], [1, 2, 3]]],
  [{ minProperties: 1, maxProperties: 2 }, [{ a: 1 }, { a: 1, b: 1 }, []], [{}, { a: 1, b: 1, c: 1 }]],
  [{ required: ['a', 'b'] }, [{ a: 1, b: 1, c: 1 }], [{ a: 1 }, { b: 1 }, {}]],
  [{ enum: ['A', 2, true] }, ['A', 2, true, 2.7, 65], ['a', 3, false, 66, 0]],
  // What is the code of no character stands for the one that says so.
  [{ enum: ['\ufffd'] }, [-1, 0xd800, 0xdfff, 0x110000, 2 ** 40, 0xfffd], [0xd7ff, 0xe000, 0x10ffff, -1.5]],
  [{ enum: ['\u{10ffff}', '\ud7ff', '\ue000', '\0'] }, [0x10ffff, 0xd7ff, 0xe000, 0], [0x10fffe, 1]],
  [{ anyOf: [LONG, BEGINS] }, ['abc', 'x', 'xab'], ['ab']],
  [{ oneOf: [LONG, BEGINS] }, ['abc', 'x'], ['ab', 'xab']],
  [{ allOf: [LONG, BEGINS] }, ['xab'], ['ab', 'abc', 'x']],
  [{ not: BEGINS }, ['ab'], ['x']],
  [{ anyOf: [{ not: LONG }, { oneOf: [LONG, BEGINS] }] }, ['ab', 'x', 'abc'], ['xab']],
];

for (const [props, taken, refused] of KEYWORDS) {
  test(`schemas take and refuse by ${JSON.stringify(props)}`, () => {
    const isTaken = (a: unknown): boolean => faults(object({ a: props }), { a }).length === 0;
    assert.deepEqual(taken.filter((value) => !isTaken(value)), []);
    assert.deepEqual(refused.filter(isTaken), []);
  });
}

const MESSAGES: readonly (readonly [title: string, SchemaProps, value: unknown, message: string])[] = [
  ['of members that no property names', { additionalProperties: text }, { k: 5 }, 'Invalid value: "integer": .k in body must be of type string: "integer"'],
  ['of the alternative that asks most', { ...text, anyOf: [{ minLength: 9 }, { format: 'date' }] }, 'x', 'Invalid value: "x":  in body must be of type date: "x"'],
  ['of a factor', { multipleOf: -1 }, 5, 'Invalid value: -1: factor MultipleOf declared for  must be positive: -1'],
  ['of a bound of whole numbers', { maximum: 1_000_000 }, 2_000_000, 'Invalid value: 2000000:  in body should be less than or equal to 1000000'],
  ['of a bound of other numbers', { maximum: 1_000_000 }, 2_000_000.5, 'Invalid value: 2.0000005e+06:  in body should be less than or equal to 1e+06'],
  ['of a bound that is not reached', { maximum: 2, exclusiveMaximum: true }, 2, 'Invalid value: 2:  in body should be less than 2'],
  ['of a bound from below', { minimum: 2 }, 1, 'Invalid value: 1:  in body should be greater than or equal to 2'],
  ['of a bound from below that is not reached', { minimum: 2, exclusiveMinimum: true }, 2, 'Invalid value: 2:  in body should be greater than 2'],
  ['of a number with a fraction', { type: 'integer', maximum: 7.5 }, 1e21, 'Invalid value: 1e+21:  in body should be less than or equal to 7.5'],
];

for (const [title, props, value, message] of MESSAGES) {
  test(`it is told as in the API ${title}`, () => {
    const at = new FieldErrors('spec');
    validateBySchema(props, value, at);
    assert.equal(at.causes.at(-1)?.message, message);
  });
}

test('of several alternatives the one is told of that fits best, of equals the first, and none where too many fit', () => {
  const [int, value] = [{ type: 'integer' }, { a: 'x', b: 'y', c: 'z' }];
  const none: SchemaProps = { properties: { a: int } };
  const other: SchemaProps = { properties: { b: int } };
  const near: SchemaProps = { properties: { a: text, b: text, c: int } };
  const both = { allOf: [{ properties: { a: text } }, { properties: { b: text } }, { properties: { c: int } }] };
  const rows: readonly (readonly [alternatives: readonly SchemaProps[], told: string])[] = [
    [[none, near], 'c'],
    [[near, none], 'c'],
    [[none, other], 'a'],
    [[other, none], 'b'],
    [[both, { properties: { a: text, b: int } }], 'c'],
    [[{ properties: { a: text, b: int } }, both], 'c'],
  ];
  for (const [alternatives, field] of rows) {
    assert.deepEqual(faults({ anyOf: alternatives }, value).slice(0, 2), ['Invalid <nil>', `Invalid ${field}`]);
    assert.deepEqual(faults({ oneOf: alternatives }, value).slice(0, 2), ['Invalid <nil>', `Invalid ${field}`]);
  }
  assert.deepEqual(faults({ oneOf: [none, { required: ['a'] }, { required: ['b'] }] }, value), ['Invalid <nil>']);
});

test('a text of a format is taken, and one of none is told, as are choices in words or in JSON, and where a part of an object is judged its place', () => {
  const told = (props: SchemaProps, value: unknown, place = ''): readonly string[] => {
    const at = new FieldErrors(place);
    validateBySchema(props, value, at);
    return at.causes.map(({ field, message }) => `${field}: ${message}`);
  };
  assert.deepEqual(told({ ...text, format: 'date' }, '2024-01-01'), []);
  assert.deepEqual(told({ ...text, format: 'unheard-of' }, 'x'), []);
  assert.deepEqual(told(object({ a: { ...text, format: 'date' } }), { a: '2024' }), ['a: Invalid value: "2024": a in body must be of type date: "2024"']);
  assert.deepEqual(told(object({ a: { enum: ['x', 1, { b: 'y' }] } }), { a: 'z' }), ['a: Unsupported value: "z": supported values: "x", "1", "{\\"b\\":\\"y\\"}"']);
  assert.deepEqual(told({ not: {} }, 'x', 'spec.default'), ['spec.default: Invalid value: "": "" must not validate the schema (not)']);
});

test('it is told how many alternatives fit', () => {
  const told = (props: SchemaProps, value: string): string | undefined => faultsOf(object({ a: props }), { a: value }).find((message) => message.includes('must validate'));
  assert.equal(told({ oneOf: [LONG, BEGINS] }, 'ab'), 'Invalid value: "": "a" must validate one and only one schema (oneOf). Found none valid');
  assert.equal(told({ oneOf: [LONG, BEGINS] }, 'xab'), 'Invalid value: "": "a" must validate one and only one schema (oneOf). Found 2 valid alternatives');
  assert.equal(told({ allOf: [LONG, BEGINS] }, 'x'), 'Invalid value: "": "a" must validate all the schemas (allOf)');
  assert.equal(told({ allOf: [LONG, BEGINS] }, 'ab'), 'Invalid value: "": "a" must validate all the schemas (allOf). None validated');
});

test('defaults are held to every format, and may be of any type where objects are integers or strings', () => {
  const found = (props: SchemaProps, value: unknown, judged: 'object' | 'default'): number => {
    const at = new FieldErrors('spec');
    validateBySchema(props, value, at, newJudging(judged));
    return at.causes.length;
  };
  const port: SchemaProps = { 'x-kubernetes-int-or-string': true };
  const count: SchemaProps = { type: 'integer', format: 'int32' };
  assert.deepEqual([found(port, [], 'object'), found(port, [], 'default')], [1, 0]);
  assert.deepEqual([found(count, true, 'object'), found(count, true, 'default')], [1, 1]);
  assert.deepEqual([found({ format: 'int32' }, true, 'object'), found({ format: 'int32' }, true, 'default')], [0, 1]);
});

test('lists that are sets or maps have no item twice', () => {
  const schema = createStructural(
    object({
      s: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      m: { type: 'array', items: object({ k: text }), 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
      deep: { type: 'object', additionalProperties: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' } },
    }),
  );
  const at = new FieldErrors();
  validateListKeys(schema, { s: ['a', 'b', 'a', 'a'], m: [{ k: 'a', v: 1 }, { k: 'a' }, 5], deep: { 'x.y': ['a', 'a'] }, unknown: ['a', 'a'], more: { s: ['a', 'a'] } }, at);
  assert.deepEqual(
    at.causes.map(({ field }) => field),
    ['s[2]', 'm[2]', 'deep[x.y][1]'],
  );
  const faults = (props: SchemaProps, value: unknown): readonly (string | undefined)[] => {
    const found = new FieldErrors('l');
    validateListKeys(createStructural(props), value, found);
    return found.causes.map(({ field }) => field);
  };
  const set: SchemaProps = { type: 'array', 'x-kubernetes-list-type': 'set' };
  assert.deepEqual(faults({ type: 'array', items: object({ s: set }) }, [{ s: ['a', 'b'] }, { s: ['a', 'a'] }]), ['l[1].s[1]']);
  assert.deepEqual(faults(set, [2n ** 60n, 2n ** 60n + 1n, [{ a: 1, b: 1 }], 2n ** 60n, [{ b: 1, a: 1 }]]), ['l[3]', 'l[4]']);
  assert.deepEqual(faults({ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }, [5, { k: 'a' }, { k: 'a' }]), ['l[0]']);
  const twice = new FieldErrors();
  validateListKeys(schema, { m: [{ k: 'a', v: 1 }, { k: 'a' }, null, { v: 2 }] }, twice);
  assert.deepEqual(
    twice.causes.map(({ field, message }) => `${field} ${message}`),
    ['m[1] Duplicate value: map[string]interface {}{"k":"a"}', 'm[3] Duplicate value: map[string]interface {}{}'],
  );
});

test('what a schema says of a value of another type names the format, where it has one, and numbers as Go writes them', () => {
  const messages = (schema: SchemaProps, value: unknown): readonly (string | undefined)[] => {
    const at = new FieldErrors();
    validateBySchema(object({ a: schema }), { a: value }, at);
    return at.causes.map(({ message }) => message);
  };
  assert.deepEqual(messages({ type: 'string', format: 'date-time' }, 5), ['Invalid value: "int64": a in body must be of type date-time: "int64"']);
  assert.deepEqual(messages({ type: 'string', format: 'date-time' }, true), ['Invalid value: "": a in body must be of type date-time: ""']);
  assert.deepEqual(messages({ type: 'integer', format: 'int32' }, 'x'), ['Invalid value: "string": a in body must be of type integer: "string"']);
  assert.deepEqual(messages({ type: 'number', maximum: 1_000_000.5 }, 2_000_000.5), ['Invalid value: 2.0000005e+06: a in body should be less than or equal to 1.0000005e+06']);
});

test('formats', () => {
  const good: readonly (readonly [format: string, value: string])[] = [
    ['ipv4', '010.001.0.1'],
    ['ipv4', '::ffff:1.2.3.4'],
    ['hostname', 'a-host'],
    ['hostname', 'a-b-c.example.com'],
    ['duration', '1d12h'],
    ['duration', 'PT5M'],
    ['duration', '+.5h'],
    ['duration', '0'],
    ['datetime', '2020-01-02T03:04:05.1234567890123Z'],
    ['uri', '/a b?c=%zz'],
    ['uri', 'mailto:a@example.com'],
    ['uri', 'http://'],
    ['date-time', '2020-02-29T00:00:00.5+01:00'],
    ['date', '2020-02-29'],
    ['byte', 'YQ=='],
    ['ipv6', '::ffff:1.2.3.4'],
    ['cidr', '10.0.0.0/8'],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000'],
    ['hostname', 'a-b.example'],
    ['email', 'a@b'],
    ['duration', '1h30m'],
    ['mac', '00:1b:44:11:3a:b7'],
    ['uri', 'https://x/y'],
    ['isbn', '0-306-40615-2'],
    ['nobody-knows', 'x'],
  ];
  const bad: readonly (readonly [format: string, value: string])[] = [
    ['byte', ''],
    ['hostname', 'my-host'],
    ['hostname', '10.0.0.1'],
    ['duration', '5 parsecs'],
    ['uri', 'a/b'],
    ['uri', 'http://a b/'],
    ['uri', 'http://h:port/'],
    ['uri', '/%zz'],
    ['date-time', '2020-02-30T00:00:00Z'],
    ['date', '2021-02-29'],
    ['byte', '!'],
    ['ipv6', '1:2:3:4:5:6:7:8:9'],
    ['ipv6', ':::'],
    ['cidr', '10.0.0.0/33'],
    ['uuid', 'x'],
    ['hostname', '-a'],
    ['creditcard', '4111111111111112'],
    ['uri', 'no uri'],
  ];
  for (const [format, value] of good) assert.equal(isOfFormat(format, value), true, `${format} ${value}`);
  for (const [format, value] of bad) assert.equal(isOfFormat(format, value), false, `${format} ${value}`);
});

test('patterns take time in proportion to the text, and what is none is told', () => {
  assert.equal(compilePattern('(a+)+$')?.matches(`${'a'.repeat(50_000)}!`), false);
  assert.equal(compilePattern('('), undefined);
  assert.equal(compilePattern('(?<=a)b'), undefined);
});

test('patterns of schemas that are gone are forgotten before they take much memory', async () => {
  const unused = new WeakRef(compilePattern('^first$') ?? assert.fail());
  for (let made = 0; made < 130; made++) compilePattern(`x{1000}${made}`);
  await collectGarbage();
  assert.equal(unused.deref(), undefined);
});

const HEAD = { kind: { type: 'string' } };
const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
const embedded = { ...object({ spec: text }), 'x-kubernetes-embedded-resource': true } as const;

const published: readonly (readonly [title: string, props: SchemaProps, told: object])[] = [
  ['a text', { ...text, pattern: '^x' }, { type: 'string', pattern: '^x' }],
  ['a choice', { ...text, enum: ['x'] }, { ...text, enum: ['x'] }],
  ['what says nothing with some words', { ...text, enum: [], required: [], format: '', uniqueItems: false }, text],
  ['a list of who knows what', { type: 'array' }, {}],
  ['a list that keeps the unknown', { type: 'array', 'x-kubernetes-preserve-unknown-fields': true }, { 'x-kubernetes-preserve-unknown-fields': true }],
  ['a text that keeps the unknown', { ...text, 'x-kubernetes-preserve-unknown-fields': true }, { ...text, 'x-kubernetes-preserve-unknown-fields': true }],
  ['an object inside that needs something', { ...embedded, required: ['spec'] }, { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['spec', 'kind', 'apiVersion'], properties: { spec: text, ...HEAD } }],
  ['what is a number or a text', { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }, { 'x-kubernetes-int-or-string': true }],
  ['what is a number or a text, and of one type all the same', { ...text, 'x-kubernetes-int-or-string': true }, { ...text, 'x-kubernetes-int-or-string': true }],
  ['what may be null', { ...object({ a: text }), nullable: true }, {}],
  ['who needs what may be null', { ...object({ a: { ...text, nullable: true }, b: text }), required: ['a', 'b'] }, { type: 'object', required: ['b'], properties: { a: {}, b: text } }],
  ['a map to what may be null', { type: 'object', required: ['a'], additionalProperties: { ...text, nullable: true } }, { type: 'object', additionalProperties: {} }],
  ['a map to what may not', { type: 'object', required: ['a'], additionalProperties: text }, { type: 'object', required: ['a'], additionalProperties: text }],
  ['a map to anything', { type: 'object', additionalProperties: true }, { type: 'object', additionalProperties: true }],
  ['an object without members', { type: 'object', additionalProperties: false }, { type: 'object', additionalProperties: false }],
  ['what keeps the unknown', { ...anything, properties: { a: text } }, { 'x-kubernetes-preserve-unknown-fields': true }],
  ['what keeps the unknown of what may be null', { ...anything, required: ['a'], properties: { a: { ...text, nullable: true } } }, { 'x-kubernetes-preserve-unknown-fields': true, required: ['a'] }],
  ['what is documented elsewhere', { ...text, externalDocs: { url: 'https://x' }, example: 'y' }, text],
  ['a list of what keeps the unknown', { type: 'array', items: anything }, { type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } }],
  ['a list that may be null', { type: 'array', items: text, nullable: true }, {}],
  ['an object inside', embedded, { type: 'object', 'x-kubernetes-embedded-resource': true, required: ['kind', 'apiVersion'], properties: { spec: text, ...HEAD } }],
  ['an object inside that keeps the unknown', { ...embedded, ...anything }, { 'x-kubernetes-preserve-unknown-fields': true, 'x-kubernetes-embedded-resource': true }],
];

for (const [title, props, told] of published) {
  test(`OpenAPI says of ${title} what its version and its readers can take`, () => assert.deepEqual(publishSchema(props, HEAD), told));
}

const number: SchemaProps = { type: 'integer' };
const eitherType = [number, text];

const whole: readonly (readonly [title: string, props: SchemaProps, told: object])[] = [
  ['what may be null', { ...object({ a: { ...text, nullable: true } }), nullable: true, required: ['a'] }, { ...object({ a: { ...text, nullable: true } }), nullable: true, required: ['a'] }],
  ['what keeps the unknown', { ...anything, properties: { a: text } }, { ...anything, properties: { a: text } }],
  ['alternatives', { ...text, allOf: [{ minLength: 1 }], anyOf: [{ enum: ['x'] }], oneOf: [{ pattern: 'x' }], not: { maxLength: 9 } }, { ...text, allOf: [{ minLength: 1 }], anyOf: [{ enum: ['x'] }], oneOf: [{ pattern: 'x' }], not: { maxLength: 9 } }],
  ['lists and maps', { type: 'array', items: { type: 'object', additionalProperties: { ...text, nullable: true } } }, { type: 'array', items: { type: 'object', additionalProperties: { ...text, nullable: true } } }],
  ['a map to anything', { type: 'object', additionalProperties: true }, { type: 'object', additionalProperties: true }],
  ['an object without members', { type: 'object', additionalProperties: false }, { type: 'object', additionalProperties: false }],
  ['what is documented elsewhere', { ...text, externalDocs: { url: 'https://x' }, example: 'y' }, text],
  ['defaults that are empty', object({ a: { type: 'boolean', default: false }, b: { ...text, default: '' }, c: { type: 'array', items: text, default: [] }, d: { ...number, default: 0 } }), object({ a: { type: 'boolean', default: false }, b: { ...text, default: '' }, c: { type: 'array', items: text, default: [] }, d: { ...number, default: 0 } })],
  ['what is a number or a text', { 'x-kubernetes-int-or-string': true }, { 'x-kubernetes-int-or-string': true, anyOf: eitherType }],
  ['what is a number or a text, and says so', { 'x-kubernetes-int-or-string': true, anyOf: eitherType }, { 'x-kubernetes-int-or-string': true, anyOf: eitherType }],
  ['what is a number or a text, among other things', { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: eitherType }, { pattern: 'x' }] }, { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: eitherType }, { pattern: 'x' }] }],
  ['a number or a text with other alternatives', { 'x-kubernetes-int-or-string': true, anyOf: [{ minimum: 1 }] }, { 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: eitherType }], anyOf: [{ minimum: 1 }] }],
  [
    'an object inside that keeps the unknown',
    { ...embedded, ...anything, required: ['spec'] },
    { ...anything, 'x-kubernetes-embedded-resource': true, required: ['spec', 'kind', 'apiVersion'], properties: { spec: text, ...HEAD } },
  ],
];

for (const [title, props, told] of whole) {
  test(`version 3 of OpenAPI says all of ${title}`, () => assert.deepEqual(publishWhole(props, HEAD), told));
}

/** Alternatives in alternatives: as many checks as there are paths through them. */
function nested(depth: number): SchemaProps {
  return depth === 0 ? { minLength: 5 } : { allOf: [nested(depth - 1), nested(depth - 1)] };
}

test('a schema that asks for too many checks is refused, not followed', () => {
  const inner = nested(12);
  const props: SchemaProps = { type: 'array', items: inner };
  const value = Array.from({ length: 2_000 }, () => 'x');
  assert.ok(faults(props, value).includes('Invalid <nil>'));
});

const names = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toString', 'hasOwnProperty');
const values = fc.jsonValue({ maxDepth: 4 });

const { schemas } = fc.letrec<{ schemas: SchemaProps }>((tie) => ({
  schemas: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<SchemaProps>({ type: 'string', pattern: '(a*)*b' }, { type: 'integer', default: 3 }, { 'x-kubernetes-preserve-unknown-fields': true }, {}),
    fc.array(fc.tuple(names, tie('schemas')), { maxLength: 3 }).map((members) => object(Object.fromEntries(members))),
    tie('schemas').map((items): SchemaProps => ({ type: 'array', items })),
    tie('schemas').map((additionalProperties): SchemaProps => ({ type: 'object', additionalProperties })),
    fc.array(tie('schemas'), { maxLength: 2 }).map((anyOf): SchemaProps => ({ anyOf, nullable: true })),
  ),
}));

test('whatever schema and value: nothing is thrown, pruning and defaults come to rest, prototypes stay as they are', () => {
  fc.assert(
    fc.property(schemas, values, (props, value) => {
      const schema = createStructural(props);
      const once = prune(schema, value).value;
      assert.deepEqual(prune(schema, once).value, once);
      dropNulls(schema, once);
      fillDefaults(schema, once);
      const filled = JSON.stringify(once);
      fillDefaults(schema, once);
      assert.equal(JSON.stringify(once), filled);
      faults(props, once);
      validateListKeys(schema, once, new FieldErrors());
      publishSchema(props, {});
      publishWhole(props, {});
      assert.equal(Reflect.ownKeys(Object.prototype).includes('a'), false);
    }),
    { numRuns: 300 },
  );
});

test('a long key above many unknown members does not stand in the path of each', () => {
  const schema = createStructural({ type: 'object', properties: { map: { type: 'object', additionalProperties: { type: 'object', properties: {} } } } });
  const unknown = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`u${at}`, 1]));
  const { dropped } = prune(schema, { map: { ['k'.repeat(100_000)]: unknown } });
  assert.ok(dropped.length > 0 && dropped.length < 20, `${dropped.length} paths`);
});

test('many small items and a large default do not multiply', () => {
  const large = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`k${at}`, 'x'.repeat(100)]));
  const item: SchemaProps = { type: 'object', properties: { a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, default: large } } };
  const value = { list: Array.from({ length: 100_000 }, () => ({})) };
  fillDefaults(createStructural({ type: 'object', properties: { list: { type: 'array', items: item } } }), value);
  const filled = value.list.filter((one) => Object.keys(one).length > 0).length;
  assert.ok(filled > 0 && filled < 100, `${filled} items`);
  const nulls = { list: Array.from({ length: 100_000 }, () => null) };
  fillDefaults(createStructural({ type: 'object', properties: { list: { type: 'array', items: { type: 'object', default: large } } } }), nulls);
  const replaced = nulls.list.filter((one) => one !== null).length;
  assert.ok(replaced > 0 && replaced < 100, `${replaced} nulls`);
});

test('many small items and a long name of what has a default do not multiply', () => {
  const name = 'n'.repeat(100_000);
  const schema = createStructural({ type: 'object', properties: { list: { type: 'array', items: object({ [name]: { type: 'integer', default: 1 } }) } } });
  const value = { list: Array.from({ length: 100_000 }, () => ({})) };
  fillDefaults(schema, value);
  const filled = value.list.filter((one) => Object.keys(one).length > 0).length;
  assert.ok(filled > 0 && filled < 100, `${filled} items`);
});

test('many items of a list do not multiply with the keys that tell them apart', () => {
  const keys = Array.from({ length: 2_000 }, (_, at) => `k${at}`);
  let looks = 0;
  const item = new Proxy({ k7: 'x' }, { getOwnPropertyDescriptor: (of, name) => ((looks += 1), Reflect.getOwnPropertyDescriptor(of, name)) });
  const schema = createStructural({ type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys, items: object({}) });
  const at = new FieldErrors();
  validateListKeys(schema, [item, item], at);
  assert.deepEqual([at.causes.length, looks < 20], [1, true], `${looks} looks`);
});

const faultsOf = (props: SchemaProps, value: unknown): readonly string[] => {
  const at = new FieldErrors();
  validateBySchema(props, value, at);
  return at.causes.map(({ message = '' }) => message);
};
const list = (items: SchemaProps): SchemaProps => ({ type: 'object', properties: { a: { type: 'array', items } } });

test('many items and a long list of choices, or of what is required, do not multiply', () => {
  const names = Array.from({ length: 30_000 }, (_, at) => `n${at}`);
  const many = <T>(item: T): { a: T[] } => ({ a: Array.from({ length: 100_000 }, () => item) });
  assert.ok(faultsOf(list({ type: 'string', enum: names }), many('n29999')).some((message) => message.includes('takes too long')));
  assert.equal(faultsOf(list({ type: 'object', required: names }), many({})).length, 256);
});

test('many objects and large choices do not multiply, and choices are put into words once', () => {
  const open: SchemaProps = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const choices = Array.from({ length: 20_000 }, (_, at) => ({ a: { b: [at] } }));
  const some = Array.from({ length: 200 }, () => ({ a: { b: [-1] } }));
  assert.ok(faultsOf(list({ ...open, enum: choices }), { a: some }).some((message) => message.includes('takes too long')));
  let looks = 0;
  const choice = { get b(): number { return (looks += 1); } };
  assert.equal(faultsOf(list({ type: 'string', enum: [choice] }), { a: Array.from({ length: 1_000 }, () => 'x') }).length, 1);
  assert.ok(looks <= 2, `the choice was looked at ${looks} times`);
});

test('what is not looked at to the end is refused, also where it should not fit or no other may', () => {
  const far: SchemaProps = { pattern: '(\\pL|\\pN){1,900}!' };
  const refused = (rules: SchemaProps, a: string): boolean => faultsOf(object({ a: { ...text, ...rules } }), { a }).some((message) => message.includes('takes too long'));
  const long = `${'a'.repeat(100_000)}!`;
  const rows: readonly SchemaProps[] = [{ not: far }, { not: { not: { not: far } } }, { not: { anyOf: [far, { minLength: 200_000 }] } }, { oneOf: [LONG, far] }, { oneOf: [far, LONG] }];
  for (const rules of rows) assert.equal(refused(rules, long), true, JSON.stringify(rules));
  const many = { a: Array.from({ length: 2_000 }, () => 'long enough') };
  assert.ok(faultsOf(object({ a: { type: 'array', items: text, not: { items: nested(12) } } }), many).some((message) => message.includes('takes too long')));
  assert.deepEqual(faultsOf(object({ a: { ...text, anyOf: [far, LONG] } }), { a: long }), [], 'one of several that fit is enough');
  assert.deepEqual(faultsOf(object({ a: { ...text, not: far } }), { a: 'b' }), []);
});

test('many alternatives, and a long text or an object of many members, do not multiply', () => {
  const members = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`n${at}`, 1]));
  const noneOf = (one: SchemaProps, count: number): SchemaProps => ({ allOf: Array.from({ length: count }, () => ({ not: one })) });
  const rows: readonly (readonly [one: SchemaProps, value: unknown])[] = [
    [{ minLength: 200_001 }, 'a'.repeat(200_000)],
    [{ format: 'date' }, '1'.repeat(200_000)],
    [{ required: ['a'] }, members],
  ];
  for (const [one, value] of rows) {
    const isGivenUp = (count: number): boolean => faultsOf(noneOf(one, count), value).some((message) => message.includes('takes too long'));
    assert.deepEqual([isGivenUp(10), isGivenUp(200)], [false, true], JSON.stringify(one));
  }
});

test('a pattern that counts far is not run over a long text', () => {
  const long = 'a'.repeat(100_000);
  assert.ok(faultsOf({ type: 'object', properties: { a: { type: 'string', pattern: '(\\pL|\\pN){1,900}!' } } }, { a: long }).some((message) => message.includes('takes too long')));
  assert.deepEqual(faultsOf({ type: 'object', properties: { a: { type: 'string', pattern: '^[a-z]+$' } } }, { a: long }), []);
});

const SIZES: readonly (readonly [pattern: string, least: number, most: number])[] = [
  ['', 0, 0],
  ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 5, 20],
  ['a{1000}', 1_000, 1_010],
  ['(.*){1,1000}', 3_000, 6_000],
  ['((ab){10}){10}', 300, 700],
  ['a{2,}', 2, 10],
  ['[{1000}]a\\{1000}', 1, 10],
  ['a{', 1, 5],
  ['(((', 0, 5],
];
for (const [pattern, least, most] of SIZES) {
  test(`the size of ${pattern}`, () => {
    const size = sizeOfPattern(pattern);
    assert.ok(size >= least && size <= most, String(size));
  });
}

test('a short pattern that becomes very large is refused', () => assert.equal(compilePattern('(.*){1000}'.repeat(100)), undefined));
