import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compileJsonPath } from './json-path.ts';

const OBJECT = {
  metadata: { name: 'a', labels: { 'x.io/y': '1' } },
  spec: { n: 3, list: ['p', 'q', 'r', 's'] },
  status: { conditions: [{ type: 'Ready', status: 'True', weight: 2 }, { type: 'Old', status: 'False', weight: 5 }], ports: [[1], [], [2]] },
};

const PATHS: readonly (readonly [path: string, found: readonly unknown[]])[] = [
  ['.spec.n', [3]],
  ['.metadata.labels.x\\.io/y', ['1']],
  [".metadata.labels['x\\.io/y']", ['1']],
  [".metadata.labels['x.io/y']", []],
  [".metadata['name','nothing']", ['a']],
  ['.spec.n}', [3]],
  ['.spec.n}.nothing[', [3]],
  ['.status.conditions[?(@.weight}==2)].type', ['Ready']],
  ['.spec.list[0, 2]', ['p', 'r']],
  ['.spec.list[0:9]', []],
  ['.spec.list[9]', []],
  ['.spec.n[0]', []],
  ['.status.conditions[?(@.type==Ready)].status', []],
  ['.status.conditions[?(@.weight=="2")].status', []],
  ['.status.conditions[?(.weight == @.weight)].type', ['Ready', 'Old']],
  ['.status[?(@.type=="Ready")]', []],
  ['.spec.list[1]', ['q']],
  ['.spec.list[-1]', ['s']],
  ['.spec.list[1:3]', ['q', 'r']],
  ['.spec.list[::2]', ['p', 'r']],
  ['.spec.list[*]', ['p', 'q', 'r', 's']],
  ['.spec.list[-2:]', ['r', 's']],
  ['.metadata.labels[*]', []],
  ['.metadata.labels.*', ['1']],
  ['.status.ports[*][*]', [1]],
  ['.status.ports[*][0:1]', []],
  ['.spec.list[1:1]', []],
  ['.spec.list[1:0]', []],
  ['.spec.list[::0]', []],
  ['.spec.nothing[*]', []],
  ['.spec.nothing[0]', []],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  ["..conditions[?(@.type=='Old')].status", ['False']],
  ['.status.conditions[?(@.weight>2)].type', ['Old']],
  ['.status.conditions[?(@.nothing)].type', []],
  ['.metadata.*', ['a', { 'x.io/y': '1' }]],
  ['..name', ['a']],
  ['.spec.constructor', []],
  ['.spec.list.length', []],
  // A dot begins a name, also where nothing follows.
  ['.', []],
  ['.spec.', []],
  [".metadata['']", []],
  ['.spec.list[]', ['p']],
  ['.spec.list[::-1]', []],
  ['.spec.list[-3:-1:2]', ['q']],
  ['.spec.list[0]@ $', ['p']],
  ['.spec .n', [3]],
  ['.spec.n x', []],
  [".metadata['name x']", []],
  ['.spec"n"', []],
  ['.spec.n "x"', ['x']],
  ['.spec.n 5', [5]],
  ['.spec.list[*]true', [true, true, true, true]],
  ['.spec..', [OBJECT.spec, OBJECT.spec.list, 'p', 'q', 'r', 's']],
  ['.status..[0]', []],
  // Of two the one above, and before, comes first.
  ['..weight', [2, 5]],
  [".status.conditions[?(@['type']=='Ready')].status", ['True']],
  ['.status.conditions[?(@.type=="R)")].status', []],
  ['.status.conditions[?(@.type==\'a\\\'\')].status', []],
  ['.status.conditions[?(@.weight=2)].type', []],
  ['.status.conditions[?(@.weight===2)].type', []],
  ['.status.conditions[?(@.nothing===2)].type', []],
  ['.status.conditions[?(Ready)].type', ['Ready', 'Old']],
  ['.status.conditions[?(@.weight==+2)].type', ['Ready']],
];

const FILTERED = {
  list: [
    { t: 'b', p: ')', on: true, f: 0.5, n: 2, m: 2, tags: ['x', 'y'], big: 9_007_199_254_740_993n },
    { t: 'a', on: false, f: 2, n: 3, m: 2, tags: ['x'] },
  ],
};

/** What the filter lets through; values of different kinds, and of kinds without an order, cannot be compared, nor several at once. */
const FILTERS: readonly (readonly [filter: string, found: string])[] = [
  ['@.on==true', 'b'],
  ['@.on!=true', 'a'],
  ['@.on<true', ''],
  ['@.t<"b"', 'a'],
  ['@.t>="b"', 'b'],
  ['@.t<="a"', 'a'],
  ['@.t!="b"', 'a'],
  ['@.f==2', ''],
  ['@.n<2', ''],
  ['@.n<=2', 'b'],
  ['@.n>=3', 'a'],
  ['@.n!=2', 'a'],
  ['@.tags[*]=="x"', ''],
  // What does not fit what was found so far is taken for a find.
  ['@.tags[1]', 'b,a'],
  ['@.o[1]', ''],
  ['@.big==+9007199254740993', 'b'],
  ['@.big!=9007199254740993', ''],
  ['@.big>9007199254740991', 'b'],
  ['@.big<=@.big', 'b'],
  ['@.n==@.m', 'b'],
  ['@.p==")"', 'b'],
  ['@.o==1', ''],
];

for (const [filter, found] of FILTERS) test(`filter ${filter}`, () => assert.equal((compileJsonPath(`.list[?(${filter})].t`)?.(FILTERED) ?? []).join(), found));

for (const [path, found] of PATHS) test(`path ${path}`, () => assert.deepEqual(compileJsonPath(path)?.(OBJECT), found));

test('what is no path is told', () => {
  for (const text of ['.a["b"]', '.a[-]', '.a[ 0]', '.a,b', '.a*]', '..*', '....a', '.a\\', '.a 1.2.3', '.a +', '.a "b', '.a "\\q"', '.a[?(@.b)', '.a[?(@.b=="c)]', '.a[?(@.b)c]', '.a[?(@.b==")")', '.a[?(@.b"c)]', '.a[?(@.b==x[)]', '.a[?(@.b[x]==1)]', '.a[0,x]', '.a[', '.a[x]', '.a[?(', '{.a}', '.a}{.b}', '.a]', `.${'a'.repeat(5000)}`]) assert.equal(compileJsonPath(text), undefined, text);
});

test('whatever is asked of whatever object, nothing is thrown and no more is found than is shown', () => {
  const parts = fc.constantFrom('.a', '..', '[*]', '[0]', '[-1]', '[1:]', '[?(@.a==1)]', '[?(@.b)]', '.*', "['__proto__']", '[', '.', '@');
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 6 }), fc.jsonValue({ maxDepth: 4 }), (path, object) => {
      const found = compileJsonPath(path.join(''))?.(object) ?? [];
      assert.ok(found.length <= 10_000);
    }),
  );
});

test('one .. behind the other in a small object has an end', () => {
  let nested: object = {};
  for (let depth = 0; depth < 500; depth++) nested = { a: nested, b: nested };
  const find = compileJsonPath('..a'.repeat(1_000));
  assert.ok((find?.(nested) ?? []).length <= 50_000);
});

test('a long list that a path names many times is not shown so many times', () => {
  const list = Array.from({ length: 10_000 }, () => 1);
  assert.equal(compileJsonPath('.a[0,1:,:]')?.({ a: list })?.length, 1 + 9_999 + 10_000);
  for (const part of [':', '*']) assert.ok((compileJsonPath(`.a[${Array.from({ length: 1_000 }, () => part).join()}]`)?.({ a: list }) ?? []).length <= 50_000);
});

test('a long list that was found many times is not taken apart so many times', () => {
  const list = Array.from({ length: 10_000 }, () => 1);
  const object = Object.fromEntries(list.entries());
  const many = `[${'0,'.repeat(150)}0]`;
  for (const parts of ['[*]', '[:]', '.*']) {
    assert.equal(compileJsonPath(`.a[0][0]${parts}`)?.({ a: [[list]] })?.length, list.length);
    for (const whole of parts === '.*' ? [list, object] : [list]) {
      const found = compileJsonPath(`.a${many}${many}${parts}`)?.({ a: [[whole]] }) ?? [];
      assert.ok(found.length >= list.length && found.length < 4_000_000, `${parts}: ${found.length}`);
    }
  }
});

test('what is no filter is found to be none at once', () => {
  assert.equal(compileJsonPath(`.a[?(@.${'\\a'.repeat(2_000)}`), undefined);
  assert.equal(compileJsonPath(`.a[?(${' '.repeat(4_000)}`), undefined);
});
