import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fieldElement, indexElement, keyElement, parseElement, PathElementFailure, valueElement, type PathElement } from './element.ts';
import { touches } from '../test-support.ts';
import { formatPath, pathOf, type Path } from './path.ts';
import { readFieldsV1, writeFieldsV1 } from './serialize.ts';
import {
  difference,
  EMPTY_SET,
  equalSets,
  hasPath,
  intersection,
  isEmptySet,
  pathsOf,
  recursiveDifference,
  setOf,
  union,
  unionOf,
  type FieldSet,
} from './set.ts';

const element: fc.Arbitrary<PathElement> = fc.oneof(
  fc.constantFrom('a', 'b', 'c', '.', '__proto__', 'constructor').map(fieldElement),
  fc.constantFrom('x', 'y', '<&>').map((name) => keyElement([['name', name]])),
  fc.constantFrom<unknown>(1, 2, 'v', true, null).map(valueElement),
  fc.nat(3).map(indexElement),
);
const path: fc.Arbitrary<Path> = fc.array(element, { minLength: 1, maxLength: 4 });
const sets: fc.Arbitrary<FieldSet> = fc.array(path, { maxLength: 12, size: 'max' }).map((paths) => setOf(...paths));

const isNormal = (set: FieldSet): boolean =>
  [...set.values()].every((node) => (node.isMember || node.children.size > 0) && isNormal(node.children));

test('sets obey the laws of sets', () => {
  fc.assert(
    fc.property(sets, sets, sets, path, (a, b, c, p) => {
      assert.ok(equalSets(union(a, b), union(b, a)));
      assert.ok(equalSets(union(a, union(b, c)), union(union(a, b), c)));
      assert.ok(equalSets(unionOf([a, b, c]), union(union(a, b), c)));
      assert.ok(equalSets(intersection(a, b), intersection(b, a)));
      assert.ok(equalSets(intersection(a, union(b, c)), union(intersection(a, b), intersection(a, c))));
      assert.ok(equalSets(difference(a, b), difference(a, intersection(a, b))));
      assert.ok(equalSets(union(difference(a, b), intersection(a, b)), a));
      assert.ok(isEmptySet(difference(a, a)) && isEmptySet(recursiveDifference(a, a)));
      assert.equal(hasPath(union(a, b), p), hasPath(a, p) || hasPath(b, p));
      assert.equal(hasPath(intersection(a, b), p), hasPath(a, p) && hasPath(b, p));
      assert.equal(hasPath(difference(a, b), p), hasPath(a, p) && !hasPath(b, p));
      for (const set of [union(a, b), intersection(a, b), difference(a, b), recursiveDifference(a, b)]) assert.ok(isNormal(set));
    }),
  );
});

test('recursive difference takes everything below a path', () => {
  fc.assert(
    fc.property(sets, sets, (a, b) => {
      const left = recursiveDifference(a, b);
      for (const p of pathsOf(a)) {
        const isCut = p.some((_, at) => hasPath(b, p.slice(0, at + 1)));
        assert.equal(hasPath(left, p), !isCut);
      }
    }),
  );
});

test('a small set costs what is in it, beside whatever large one, and many are joined without copying a large one for each', () => {
  const steps = Array.from({ length: 4_096 }, (_, at) => pathOf(`f${at}`));
  const [large, small] = [setOf(...steps), setOf(pathOf('none'), pathOf('x'))];
  for (const combine of [intersection, difference, recursiveDifference]) {
    assert.ok(touches(() => [combine(small, large), combine(large, small)]) < 20, combine.name);
  }
  const sets = steps.map((step) => setOf(step));
  assert.ok(touches(() => unionOf(sets)) < 4_096 * 40);
});

test('no function changes its arguments', () => {
  fc.assert(
    fc.property(sets, sets, (a, b) => {
      const before = JSON.stringify([writeFieldsV1(a), writeFieldsV1(b)]);
      for (const combine of [union, intersection, difference, recursiveDifference]) combine(a, b);
      assert.equal(JSON.stringify([writeFieldsV1(a), writeFieldsV1(b)]), before);
    }),
  );
});

test('R2.2-20 what is written as fieldsV1 is read back, also as text', () => {
  fc.assert(
    fc.property(sets, (set) => {
      assert.ok(equalSets(readFieldsV1(writeFieldsV1(set)), set));
      assert.ok(equalSets(readFieldsV1(JSON.parse(JSON.stringify(writeFieldsV1(set)))), set));
    }),
  );
});

test('names stand in the order of their bytes, also those with characters that UTF-16 has elsewhere', () => {
  const name = fc.array(fc.constantFrom('a', 'b', '\u00e9', '\uffee', '\u{1f600}'), { maxLength: 4 }).map((characters) => characters.join(''));
  fc.assert(
    fc.property(fc.array(name), (names) => {
      const written = Object.keys(writeFieldsV1(setOf(...names.map((one) => [fieldElement(one)]))));
      assert.deepEqual(written, [...written].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    }),
  );
});

test('fieldsV1 stands in the order that Kubernetes writes', () => {
  const set = setOf(
    [fieldElement('b'), indexElement(10)],
    [fieldElement('b'), indexElement(9)],
    [fieldElement('b'), valueElement('z')],
    [fieldElement('b'), valueElement(2)],
    [fieldElement('b'), keyElement([['protocol', 'TCP'], ['port', 80]]), fieldElement('port')],
    [fieldElement('b'), keyElement([['protocol', 'TCP'], ['port', 80]])],
    [fieldElement('b'), keyElement([['port', 9], ['protocol', 'TCP']])],
    [fieldElement('b'), fieldElement('x')],
    pathOf('b'),
    pathOf('a'),
  );
  assert.equal(
    JSON.stringify(writeFieldsV1(set)),
    '{"f:a":{},"f:b":{".":{},"f:x":{},"k:{\\"port\\":9,\\"protocol\\":\\"TCP\\"}":{},"k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}":{".":{},"f:port":{}},"v:2":{},"v:\\"z\\"":{},"i:9":{},"i:10":{}}}',
  );
});

test('list items stand in the order of what tells them apart: numbers, texts, truth values, lists, objects, null', () => {
  const values = [-1, 2, 10, 'a', 'b', false, true, [1], [2], { a: 1 }, null];
  const texts = (elements: readonly PathElement[]): readonly string[] => Object.keys(writeFieldsV1(setOf(...elements.map((one) => [one]))));
  const inOrder = values.map(valueElement);
  assert.deepEqual(texts([...inOrder].reverse()), inOrder);
  const keys = values.map((value) => keyElement([['k', value]]));
  assert.deepEqual(texts([...keys].reverse()), keys);
  const [one, both] = [keyElement([['a', 1]]), keyElement([['a', 1], ['b', 1]])];
  assert.deepEqual(texts([both, one]), [one, both]);
});

test('different spellings of one step are one step', () => {
  assert.equal(parseElement('k:{ "b": 1, "a": "x" }'), 'k:{"a":"x","b":1}');
  assert.equal(parseElement('v: 1.0'), 'v:1');
  assert.equal(parseElement('i:007'), 'i:7');
  const set = readFieldsV1({ 'k:{"a":1,"b":2}': { 'f:x': {} }, 'k:{"b":2,"a":1}': { 'f:y': {} } });
  assert.equal(JSON.stringify(writeFieldsV1(set)), '{"k:{\\"a\\":1,\\"b\\":2}":{"f:x":{},"f:y":{}}}');
});

test('what is below a step that is spelled in very many ways is not gone through for each of them', () => {
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`f:a${n}`, {}]));
  const spelled = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`v:${' '.repeat(n)}7`, n === 0 ? many : n % 2 === 0 ? {} : { [`f:b${n}`]: {} }]));
  let set: FieldSet = EMPTY_SET;
  assert.ok(touches(() => (set = readFieldsV1(spelled))) < 100_000);
  assert.deepEqual(Object.keys(writeFieldsV1(set)), ['v:7']);
  assert.equal([...pathsOf(set)].length, 1 + 2_000 + 250);
});

test('whole numbers that a double cannot hold stay what they are', () => {
  const [odd, even] = [valueElement(9007199254740993n), valueElement(9007199254740992)];
  const key = keyElement([['id', 9007199254740993n]]);
  assert.deepEqual([odd, even, key].map(parseElement), ['v:9007199254740993', 'v:9007199254740992', 'k:{"id":9007199254740993}']);
  assert.equal(JSON.stringify(writeFieldsV1(setOf([odd], [valueElement('a')], [even], [valueElement(1)]))), `{"v:1":{},"${even}":{},"${odd}":{},"v:\\"a\\"":{}}`);
  assert.equal(formatPath([key, odd]), '[id=9007199254740993][=9007199254740993]');
});

test('steps of unknown kinds are left out, malformed ones are refused', () => {
  assert.equal(readFieldsV1({ 'z:new': {} }), EMPTY_SET);
  for (const bad of ['', 'f', 'fx', 'k:', 'k:[]', 'v:{', 'i:x', `v:${'['.repeat(100)}${']'.repeat(100)}`]) {
    assert.throws(() => readFieldsV1({ [bad]: {} }), PathElementFailure, bad);
  }
  for (const bad of [[], 'x', { 'f:a': 1 }]) assert.throws(() => readFieldsV1(bad), PathElementFailure);
});

test('paths are shown as in conflict messages', () => {
  const shown = formatPath([fieldElement('spec'), fieldElement('ports'), keyElement([['protocol', 'TCP'], ['port', 80]]), fieldElement('name')]);
  assert.equal(shown, '.spec.ports[port=80,protocol="TCP"].name');
  assert.equal(formatPath([fieldElement('finalizers'), valueElement('a')]), '.finalizers[="a"]');
});
