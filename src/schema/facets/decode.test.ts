import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { t } from '../dsl.ts';
import type { MessageClass } from '../field.ts';
import { stringScalar } from '../scalars/plain.ts';
import { quantityScalar } from '../scalars/quantity.ts';
import { decode, decodeMerged, MAX_MESSAGES, zeroOf } from './decode.ts';
import { DecodeFailure } from './decode-failure.ts';
import { unknownFields } from './unknown-fields.ts';
import { nullEmptyLists } from './null-lists.ts';

class Port extends t.message('test.Port', {
  name: t.string(1),
  port: t.int32(2).required(),
  target: t.intOrString(3),
}) {}

class Meta extends t.message('test.Meta', {
  name: t.string(1),
  generation: t.int64(2),
  created: t.time(3),
  deleted: t.maybe.time(4),
  labels: t.map(5, stringScalar),
  finalizers: t.strings(6),
}) {}

class Source extends t.message('test.Source', {
  path: t.string(1),
  size: t.maybe.quantity(2),
}) {}

interface TreeValue {
  value?: string;
  left?: TreeValue;
  all?: TreeValue[];
}

class Tree extends (t.message('test.Tree', {
  value: t.string(1),
  left: t.lazy(2, (): MessageClass<TreeValue> => Tree),
  all: t.manyLazy(3, (): MessageClass<TreeValue> => Tree),
}) as MessageClass<TreeValue>) {}

class Thing extends t.message('test.Thing', {
  metadata: t.one(1, Meta),
  count: t.maybe.int32(2),
  flag: t.bool(3),
  always: t.string(4).always(),
  ports: t.many(5, Port),
  rules: t.strings(6).always(),
  limits: t.map(7, quantityScalar),
  source: t.inline(8, Source),
  tree: t.perhaps(9, Tree),
  blob: t.bytes(10),
  ca: t.bytes(11).always(),
  extra: t.mapOfStrings(12),
  micro: t.maybe.microTime(13),
  divisor: t.quantity(14),
  constructor: t.string(15),
  any: t.json(16),
}) {}

const EMPTY = { metadata: { created: null }, always: '', rules: null, ca: null, divisor: '0' };
const value = (source: unknown): Record<string, unknown> => decode(Thing.type, source);

test('what is absent and must be there is filled in; everything else is left out', () => {
  assert.deepEqual(value({}), EMPTY);
  assert.deepEqual(zeroOf(Thing.type), EMPTY);
});

test('null is absence', () => {
  const nulls = Object.fromEntries([...Thing.type.fields.keys()].map((name) => [name, null]));
  assert.deepEqual(value(nulls), EMPTY);
  assert.deepEqual(value({ metadata: { labels: null, finalizers: null, name: null } }), EMPTY);
});

test('empty members are left out, but for lists that must be there: those become null once it is settled who owns them', () => {
  const decoded = value({ flag: false, ports: [], limits: {}, rules: [], blob: '', metadata: { name: '', generation: 0, labels: {} } });
  assert.deepEqual(decoded, { ...EMPTY, rules: [] });
  nullEmptyLists(Thing.type, decoded);
  assert.deepEqual(decoded, EMPTY);
});

test('optional members keep their zeros', () => {
  assert.deepEqual(value({ count: 0, tree: {}, ca: '' }), { ...EMPTY, count: 0, tree: {}, ca: '' });
});

test('null items become zeros', () => {
  const decoded = value({ ports: [null], rules: [null], limits: { cpu: null }, extra: { a: null }, metadata: { labels: { a: null } } });
  assert.deepEqual(decoded['ports'], [{ port: 0, target: 0 }]);
  assert.deepEqual(decoded['rules'], ['']);
  assert.deepEqual(decoded['limits'], { cpu: '0' });
  assert.deepEqual(decoded['extra'], { a: [] });
  assert.deepEqual(decoded['metadata'], { created: null, labels: { a: '' } });
});

test('members stand in the order of the schema and map keys are sorted', () => {
  const decoded = value({ always: 'x', count: 1, metadata: { labels: { b: '1', a: '2' } }, path: 'p' });
  assert.deepEqual(Object.keys(decoded), ['metadata', 'count', 'always', 'rules', 'path', 'ca', 'divisor']);
  assert.equal(JSON.stringify(decoded['metadata']), '{"created":null,"labels":{"a":"2","b":"1"}}');
});

test('unknown members are dropped and named in the order of the document', () => {
  const source = { foo: 1, ports: [{ port: 1, bar: 2 }], tree: { all: [{ nope: {} }] }, metadata: { labels: { fine: 'x' }, odd: 1 }, Count: 1 };
  assert.deepEqual(unknownFields(Thing.type, source), ['foo', 'ports[0].bar', 'tree.all[0].nope', 'metadata.odd', 'Count']);
  assert.equal(JSON.stringify(value(source)).includes('bar'), false);
});

test('times are brought to UTC; the zero time is no time', () => {
  assert.deepEqual(value({ metadata: { created: '2021-01-01T02:00:00.75+02:00' } })['metadata'], { created: '2021-01-01T00:00:00Z' });
  assert.deepEqual(value({ metadata: { created: '0001-01-01T00:00:00Z' } }), EMPTY);
  assert.equal(value({ micro: '2021-01-01T00:00:00.123456Z' })['micro'], '2021-01-01T00:00:00.123456Z');
});

const EDGES: readonly (readonly [sent: string, kept: string])[] = [
  ['9999-12-31T23:59:59.9+00:00', '9999-12-31T23:59:59Z'],
  ['9999-12-31T23:59:59+23:59', '9999-12-31T00:00:59Z'],
  ['0000-01-01T00:00:00-01:00', '0000-01-01T01:00:00Z'],
  ['2020-01-01T5:00:00Z', '2020-01-01T05:00:00Z'],
  ['2020-01-01T00:00:00,5-23:60', '2020-01-02T00:00:00Z'],
];

for (const [sent, kept] of EDGES) test(`${sent} is ${kept}`, () => assert.deepEqual(value({ metadata: { created: sent } })['metadata'], { created: kept }));

const WRONG: readonly (readonly [source: unknown, path: string])[] = [
  [[], ''],
  ['x', ''],
  [null, ''],
  [{ count: '1' }, 'count'],
  [{ count: 1.5 }, 'count'],
  [{ count: 2 ** 31 }, 'count'],
  [{ flag: 'true' }, 'flag'],
  [{ always: 1 }, 'always'],
  [{ ports: {} }, 'ports'],
  [{ ports: [{ port: 1 }, 'x'] }, 'ports[1]'],
  [{ ports: [{ port: 1 }, { port: 'x' }] }, 'ports[1].port'],
  [{ metadata: 'x' }, 'metadata'],
  [{ metadata: { labels: { 'a/b': 5 } } }, 'metadata.labels.a/b'],
  [{ metadata: { labels: [] } }, 'metadata.labels'],
  [{ metadata: { generation: 1e300 } }, 'metadata.generation'],
  [{ metadata: { created: '2020-13-01T00:00:00Z' } }, 'metadata.created'],
  [{ metadata: { created: '9999-12-31T23:59:59-00:01' } }, 'metadata.created'],
  [{ metadata: { created: '0000-01-01T00:00:00+00:01' } }, 'metadata.created'],
  [{ micro: '9999-12-31T23:59:59.000000-00:01' }, 'micro'],
  [{ micro: '2021-01-01T00:00:00Z' }, 'micro'],
  [{ limits: { cpu: 'lots' } }, 'limits.cpu'],
  [{ blob: '*' }, 'blob'],
  [{ tree: { left: { left: { value: false } } } }, 'tree.left.left.value'],
];

for (const [source, path] of WRONG) {
  test(`${JSON.stringify(source)} does not fit at ${path === '' ? 'the top' : path}`, () => {
    assert.throws(
      () => decode(Thing.type, source),
      (error) => error instanceof DecodeFailure && error.path === path,
    );
  });
}

test('a value has a bounded number of messages, however they are spread', () => {
  const tree = (leaves: number): unknown => decode(Tree.type, { all: [{ all: Array.from({ length: leaves / 2 }, () => ({})) }, { all: Array.from({ length: leaves / 2 }, () => ({})) }] });
  // The root and its two children count as well.
  tree(MAX_MESSAGES - 4);
  assert.throws(() => tree(MAX_MESSAGES - 2), (cause) => cause instanceof DecodeFailure && /^all\[1\]\.all\[\d+\]: expected at most 250000 objects/.test(cause.message));
});

test('the same bytes have one text, whichever way they were written', () => {
  const blobOf = (blob: unknown): unknown => value({ blob })['blob'];
  for (const [written, text] of [['YR==', 'YQ=='], ['YWJ=', 'YWI='], ['YWJj\nYR=\r\n=', 'YWJjYQ=='], [[97, null, 98], 'YQBi'], ['', undefined], [[], undefined]]) assert.equal(blobOf(written), text);
  for (const odd of [[256], [-1], [1.5], ['YQ=='], [[97]]]) assert.throws(() => blobOf(odd), DecodeFailure);
});

test('a comma before the fraction of a second is read as a point', () => {
  const deleted = value({ metadata: { deleted: '2020-01-01T00:00:00,5+01:00' } })['metadata'];
  assert.equal(Reflect.get(deleted as object, 'deleted'), '2019-12-31T23:00:00Z');
});

test('names of built-in members are ordinary data', () => {
  const source = JSON.parse('{"constructor":"c","metadata":{"labels":{"__proto__":"p","constructor":"q","toString":"r"}},"any":{"__proto__":{"x":1}}}') as unknown;
  const text = JSON.stringify(value(source));
  assert.match(text, /"labels":\{"__proto__":"p","constructor":"q","toString":"r"\}/);
  assert.match(text, /"constructor":"c"/);
  assert.match(text, /"any":\{"__proto__":\{"x":1\}\}/);
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
  assert.deepEqual(unknownFields(Thing.type, JSON.parse('{"__proto__":1}') as Record<string, unknown>), ['__proto__']);
});

test('64-bit integers beyond 2^53 are kept exactly', () => {
  assert.deepEqual(value({ metadata: { generation: 9007199254740993n } })['metadata'], { generation: 9007199254740993n, created: null });
});

test('a value that is nested without end is refused, not a crash', () => {
  let left: TreeValue = {};
  for (let depth = 0; depth < 100_000; depth++) left = { left };
  assert.throws(() => decode(Thing.type, { tree: left }), DecodeFailure);
  let all: TreeValue = {};
  for (let depth = 0; depth < 100_000; depth++) all = { all: [all] };
  assert.throws(() => decode(Thing.type, { tree: all }), DecodeFailure);
});

const names = fc.constantFrom(...Thing.type.fields.keys(), ...Meta.type.fields.keys(), 'x', '__proto__', 'left', 'all', 'value', 'port');
const { anything } = fc.letrec((tie) => ({
  anything: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, 0, 1, -1, 1.5, '', 'x', '500m', '2021-01-01T00:00:00Z', 'eA==', 2 ** 40, 9007199254740993n),
    fc.array(tie('anything'), { maxLength: 3 }),
    fc.dictionary(names, tie('anything'), { maxKeys: 6, noNullPrototype: true }),
  ),
}));

test('any JSON value is decoded or refused with DecodeFailure, and decoding again changes nothing', () => {
  let decodedCount = 0;
  fc.assert(
    fc.property(fc.dictionary(names, anything, { maxKeys: 4, noNullPrototype: true }), (source) => {
      let once: Record<string, unknown>;
      try {
        once = value(source);
      } catch (error) {
        assert.ok(error instanceof DecodeFailure);
        return;
      }
      decodedCount++;
      const twice = decode(Thing.type, once);
      assert.deepEqual(twice, once);
      assert.deepEqual(Object.keys(twice), Object.keys(once));
      assert.deepEqual(unknownFields(Thing.type, once), []);
    }),
    { numRuns: 1_000 },
  );
  assert.ok(decodedCount > 50, `only ${decodedCount} values fitted`);
});

test('a number that its field has no room for is refused in text, and loses its upper bits in the result of a merge', () => {
  const rows = [
    [3_000_000_000, -1_294_967_296],
    [2_147_483_648, -2_147_483_648],
    [-2_147_483_649, 2_147_483_647],
    [4_294_967_296, 0],
    [9_223_372_036_854_775_807n, -1],
  ] as const;
  for (const [given, kept] of rows) {
    assert.throws(() => decode(Port.type, { port: given }), DecodeFailure);
    assert.deepEqual(decodeMerged(Port.type, { port: given }), { ...decode(Port.type, {}), port: kept });
  }
  for (const port of [1.5, '80', true, {}]) assert.throws(() => decodeMerged(Port.type, { port }), DecodeFailure);
  // It is read from text even there.
  assert.throws(() => decodeMerged(Port.type, { target: 3_000_000_000 }), DecodeFailure);
});
