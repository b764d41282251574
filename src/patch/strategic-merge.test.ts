import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '#errors';
import { stringScalar, t } from '#schema';
import { strategicMerge } from './strategic-merge.ts';

class Env extends t.message('Env', { name: t.string(1), value: t.string(2) }) {}
class Container extends t.message('Container', {
  name: t.string(1),
  image: t.string(2),
  env: t.many(3, Env).mergeBy('name'),
  args: t.strings(4),
}) {}
class Strategy extends t.message('Strategy', { type: t.string(1), limit: t.maybe.int32(2), zones: t.strings(3).mergeBy() }) {}
class Thing extends t.message('Thing', {
  labels: t.map(1, stringScalar),
  containers: t.many(2, Container).mergeBy('name'),
  finalizers: t.strings(3).mergeBy(),
  strategy: t.one(4, Strategy).retainKeys(),
  anything: t.rawObject(5),
  whole: t.perhaps(6, Strategy).replaceWhole(),
  extra: t.mapOfStrings(7),
  blob: t.bytes(8),
}) {}

const merge = (original: object, patch: unknown): unknown => strategicMerge(Thing.type, original, patch);

const RESULTS: readonly (readonly [why: string, original: object, patch: unknown, result: object])[] = [
  ['maps are merged', { labels: { a: '1' } }, { labels: { b: '2' } }, { labels: { a: '1', b: '2' } }],
  ['null removes', { labels: { a: '1', b: '2' } }, { labels: { a: null } }, { labels: { b: '2' } }],
  ['$patch replace', { labels: { a: '1' } }, { labels: { $patch: 'replace', b: '2' } }, { labels: { b: '2' } }],
  ['$patch delete', { labels: { a: '1' } }, { labels: { $patch: 'delete' } }, { labels: {} }],
  ['$patch replace of everything', { labels: { a: '1' } }, { $patch: 'replace', finalizers: ['x'] }, { finalizers: ['x'] }],
  [
    'items with a key are merged, new ones come first as they have no place yet',
    { containers: [{ name: 'a', image: '1' }, { name: 'b', image: '1' }] },
    { containers: [{ name: 'n', image: '1' }, { name: 'b', image: '2' }] },
    { containers: [{ name: 'n', image: '1' }, { name: 'a', image: '1' }, { name: 'b', image: '2' }] },
  ],
  [
    'keys reach down',
    { containers: [{ name: 'a', env: [{ name: 'A', value: '1' }, { name: 'B', value: '1' }] }] },
    { containers: [{ name: 'a', env: [{ name: 'A', $patch: 'delete' }, { name: 'B', value: '2' }] }] },
    { containers: [{ name: 'a', env: [{ name: 'B', value: '2' }] }] },
  ],
  ['lists without strategy are replaced', { containers: [{ name: 'a', args: ['1', '2'] }] }, { containers: [{ name: 'a', args: ['3'] }] }, { containers: [{ name: 'a', args: ['3'] }] }],
  ['an item is deleted by key', { containers: [{ name: 'a' }, { name: 'b' }] }, { containers: [{ name: 'b', $patch: 'delete' }] }, { containers: [{ name: 'a' }] }],
  ['deleting what is not there', { containers: [{ name: 'a' }] }, { containers: [{ name: 'x', $patch: 'delete' }] }, { containers: [{ name: 'a' }] }],
  ['a list is replaced', { containers: [{ name: 'a' }] }, { containers: [{ $patch: 'replace' }, { name: 'r' }] }, { containers: [{ name: 'r' }] }],
  [
    '$setElementOrder with items',
    { containers: [{ name: 'r' }] },
    { '$setElementOrder/containers': [{ name: 'r' }, { name: 'n' }], containers: [{ name: 'n' }] },
    { containers: [{ name: 'r' }, { name: 'n' }] },
  ],
  [
    '$setElementOrder alone; others stay before what they stood before',
    { containers: [{ name: 'r' }, { name: 'x' }, { name: 'n' }, { name: 'z' }] },
    { '$setElementOrder/containers': [{ name: 'n' }, { name: 'r' }] },
    { containers: [{ name: 'x' }, { name: 'n' }, { name: 'r' }, { name: 'z' }] },
  ],
  [
    '$setElementOrder where an item takes the place of a deleted one',
    { containers: [{ name: 'a' }, { name: 'b' }, { name: 'd' }] },
    { '$setElementOrder/containers': [{ name: 'b' }, { name: 'c' }], containers: [{ name: 'c' }, { name: 'a', $patch: 'delete' }] },
    { containers: [{ name: 'b' }, { name: 'd' }, { name: 'c' }] },
  ],
  [
    '$setElementOrder where more are new than were deleted',
    { containers: [{ name: 'a' }, { name: 'd' }] },
    { '$setElementOrder/containers': [{ name: 'b' }, { name: 'c' }], containers: [{ name: 'b' }, { name: 'c' }, { name: 'a', $patch: 'delete' }] },
    { containers: [{ name: 'd' }, { name: 'b' }, { name: 'c' }] },
  ],
  ['scalars are a set, new ones first', { finalizers: ['a', 'b'] }, { finalizers: ['c'] }, { finalizers: ['c', 'a', 'b'] }],
  ['$deleteFromPrimitiveList', { finalizers: ['c', 'a', 'b'] }, { '$deleteFromPrimitiveList/finalizers': ['a'] }, { finalizers: ['c', 'b'] }],
  ['$deleteFromPrimitiveList of a list that is replaced puts its items there', { containers: [{ name: 'a', args: ['1', '2'] }] }, { containers: [{ name: 'a', '$deleteFromPrimitiveList/args': ['1'] }] }, { containers: [{ name: 'a', args: ['1'] }] }],
  ['$deleteFromPrimitiveList of null removes the list', { finalizers: ['a'] }, { '$deleteFromPrimitiveList/finalizers': null }, {}],
  ['$deleteFromPrimitiveList of another type changes nothing', { finalizers: ['a'] }, { '$deleteFromPrimitiveList/finalizers': 'a' }, { finalizers: ['a'] }],
  ['$deleteFromPrimitiveList of a map is merged', { labels: { a: '1' } }, { '$deleteFromPrimitiveList/labels': { b: '2' } }, { labels: { a: '1', b: '2' } }],
  ['$deleteFromPrimitiveList without a list', {}, { '$deleteFromPrimitiveList/finalizers': ['a'] }, {}],
  [
    '$setElementOrder of scalars',
    { finalizers: ['c', 'b'] },
    { '$setElementOrder/finalizers': ['b', 'c'], finalizers: [] },
    { finalizers: ['b', 'c'] },
  ],
  ['an empty $setElementOrder', { finalizers: ['b', 'a'] }, { '$setElementOrder/finalizers': [], finalizers: ['c'] }, { finalizers: ['b', 'a', 'c'] }],
  [
    '$setElementOrder with a new item, which is taken as it is',
    { containers: [{ name: 'a' }] },
    { '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }], containers: [{ name: 'b', image: null, env: [{ $patch: 'replace' }] }] },
    { containers: [{ name: 'a' }, { name: 'b', image: null, env: [{ $patch: 'replace' }] }] },
  ],
  [
    '$setElementOrder of a new list, which is taken as it is',
    {},
    { '$setElementOrder/containers': [{ name: 'b' }], containers: [{ name: 'b' }, { name: 'c', $patch: 'delete' }] },
    { containers: [{ name: 'b' }, { name: 'c', $patch: 'delete' }] },
  ],
  ['$setElementOrder of what a pointer leads to', { strategy: { type: 'x' } }, { strategy: { '$setElementOrder/limit': [] }, '$setElementOrder/whole': [] }, { strategy: { type: 'x' } }],
  ['$setElementOrder of bytes, which pass for a list', {}, { '$setElementOrder/blob': [] }, {}],
  ['a list in a map is set', { extra: { a: ['1'] } }, { extra: { b: ['2'] } }, { extra: { a: ['1'], b: ['2'] } }],
  ['$setElementOrder without a list', {}, { '$setElementOrder/finalizers': ['a'] }, {}],
  ['$setElementOrder of a new list', {}, { '$setElementOrder/finalizers': ['a', 'b'], finalizers: ['a', 'b'] }, { finalizers: ['a', 'b'] }],
  ['$retainKeys', { strategy: { type: 'Rolling', limit: 1 } }, { strategy: { $retainKeys: ['type'], type: 'Recreate' } }, { strategy: { type: 'Recreate' } }],
  ['$retainKeys beside nulls for what goes', { strategy: { type: 'Rolling', limit: 1 } }, { strategy: { $retainKeys: ['type'], type: 'Recreate', limit: null } }, { strategy: { type: 'Recreate' } }],
  [
    '$retainKeys beside other directives',
    { strategy: { type: 'Rolling', limit: 1, zones: ['a', 'b', 'c'] } },
    { strategy: { $retainKeys: ['zones'], '$setElementOrder/zones': ['c', 'a'], '$deleteFromPrimitiveList/zones': ['b'] } },
    { strategy: { zones: ['c', 'a'] } },
  ],
  ['a new item that is named twice is one', { containers: [] }, { containers: [{ name: 'n', image: '1' }, { name: 'n', args: ['x'] }] }, { containers: [{ name: 'n', image: '1', args: ['x'] }] }],
  ['$setElementOrder of a list that is replaced', { containers: [{ name: 'a', args: ['1', '2'] }] }, { containers: [{ name: 'a', '$setElementOrder/args': ['3'], args: ['3'] }] }, { containers: [{ name: 'a', args: ['3'] }] }],
  ['an object that is replaced as a whole', { whole: { type: 'a', limit: 1 } }, { whole: { type: 'b' } }, { whole: { type: 'b' } }],
  ['a list is no object', { containers: [{ name: 'a' }] }, { containers: { a: 1 } }, { containers: { a: 1 } }],
  [
    'new parts are taken as they stand, for whoever reads the result',
    {},
    { labels: { a: null, b: '1' }, containers: [{ $patch: 'delete', name: 'a' }] },
    { labels: { a: null, b: '1' }, containers: [{ $patch: 'delete', name: 'a' }] },
  ],
  ['new items, too', { containers: [] }, { containers: [{ name: 'a', env: [{ $patch: 'delete', name: 'E' }] }] }, { containers: [{ name: 'a', env: [{ $patch: 'delete', name: 'E' }] }] }],
  ['another shape is taken as it is', { labels: { a: '1' } }, { labels: [] }, { labels: [] }],
  ['unknown members are passed on', {}, { unknown: { a: 1 } }, { unknown: { a: 1 } }],
  ['null changes nothing', { labels: { a: '1' } }, null, { labels: { a: '1' } }],
];

test('R4.9-27 strategic merge patches', () => {
  for (const [why, original, patch, result] of RESULTS) {
    const before = JSON.stringify([original, patch]);
    assert.deepEqual(merge(original, patch), result, why);
    assert.equal(JSON.stringify([original, patch]), before, why);
  }
});

test('malformed strategic merge patches', () => {
  const original = { containers: [{ name: 'a' }], labels: { a: '1' }, finalizers: ['a'], strategy: { type: 'x' }, anything: { a: 1 }, extra: { a: ['1'] } };
  const rows: readonly (readonly [patch: unknown, code: number])[] = [
    ['x', 400],
    [[], 400],
    [{ labels: { $patch: 'bogus' } }, 500],
    [{ containers: [{ $patch: 'bogus', name: 'a' }] }, 500],
    [{ containers: [{ $patch: 'delete' }] }, 500],
    [{ containers: [{ image: 'x' }] }, 500],
    [{ containers: [{ $patch: 'merge', name: 'a' }] }, 500],
    [{ finalizers: [['x']] }, 500],
    [{ finalizers: [1] }, 500],
    [{ containers: [['x']] }, 500],
    [{ containers: [null] }, 500],
    ...['$deleteFromPrimitiveList', '$deleteFromPrimitiveListOf/finalizers', '$setElementOrder', '$setElementOrderOf/finalizers'].map((name) => [{ [name]: ['a'] }, 400] as const),
    [{ $setElementOrder: 'a' }, 500],
    [{ '$deleteFromPrimitiveList/finalizers': [{ a: 1 }] }, 500],
    [{ '$deleteFromPrimitiveList/containers': ['a'] }, 500],
    [{ '$deleteFromPrimitiveList/containers': [{}] }, 500],
    [{ strategy: { $retainKeys: 'type' } }, 400],
    [{ strategy: { $retainKeys: ['limit'], type: 'y' } }, 400],
    [{ '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'n' }] }, 500],
    ...['a', 1, null, {}].map((value) => [{ '$setElementOrder/containers': value }, 500] as const),
    ...['a', 1, null, {}].map((value) => [{ '$setElementOrder/containers': [value] }, 500] as const),
    [{ '$setElementOrder/labels': ['a'] }, 500],
    [{ '$setElementOrder/nothing': [] }, 500],
    [{ containers: [{ name: 'a', '$setElementOrder/image': [] }] }, 500],
    ...['labels', 'extra', 'anything'].map((name) => [{ [name]: { '$setElementOrder/b': [] } }, 500] as const),
    [{ extra: { a: ['2'] } }, 500],
    ...['a', 1, null, {}].map((value) => [{ '$setElementOrder/containers': [], containers: value }, 500] as const),
    [JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`), 400],
  ];
  for (const [at, [patch, code]] of rows.entries()) {
    assert.throws(
      () => merge(original, patch),
      (error: unknown) => error instanceof ApiError && error.code === code,
      `row ${at}`,
    );
  }
});

test('what a strategic merge patch does wrong is shown', () => {
  const original = { containers: [{ name: 'a' }], labels: { a: '1' } };
  const rows: readonly (readonly [patch: unknown, message: string])[] = [
    [{ labels: { $patch: 'bogus', b: '2' } }, 'unknown patch type: bogus in map: map[$patch:bogus b:2]'],
    [{ $patch: null }, 'unknown patch type: %!s(<nil>) in map: map[$patch:<nil>]'],
    [{ $patch: { b: [1, 'x'], a: 1.5 } }, 'unknown patch type: map[a:%!s(float64=1.5) b:[%!s(int64=1) x]] in map: map[$patch:map[a:1.5 b:[1 x]]]'],
    [{ containers: [{ $patch: 'replace' }, { image: 'x' }] }, 'map: map[image:x] does not contain declared merge key: name'],
    [{ containers: [{ image: 'x' }] }, 'map: map[image:x] does not contain declared merge key: name'],
    [{ containers: [{ $patch: 'merge', name: 'a' }] }, 'merging lists cannot yet be specified in the patch'],
    [{ containers: [{ $patch: 'bogus', name: 'a' }] }, 'unknown patch type: bogus in map: map[$patch:bogus name:a]'],
    [{ '$setElementOrder/labels': ['a'] }, 'expected a []interface {}, but received a map[string]interface {}'],
    [{ '$setElementOrder/containers': [{ name: 'a' }], containers: [{ name: 'n' }] }, "The order in patch list:\n[map[name:n]]\n doesn't match $setElementOrder list:\n[map[name:a]]\n"],
    [{ '$setElementOrder/containers': [{ name: 'a' }, { name: 'b' }], containers: [{ name: 'a' }, { image: 'x' }] }, 'map: map[image:x] does not contain declared merge key: name'],
  ];
  for (const [patch, message] of rows) assert.throws(() => merge(original, patch), { message });
});

test('a list that is empty so far takes no lists, no objects without a key and no order', () => {
  const rows: readonly (readonly [patch: object, code: number])[] = [
    [{ finalizers: [['x']] }, 422],
    [{ finalizers: [{ a: 'x' }] }, 500],
    [{ '$setElementOrder/finalizers': ['x'] }, 500],
    [{ '$setElementOrder/finalizers': ['x'], finalizers: [] }, 500],
  ];
  for (const [patch, code] of rows) {
    assert.throws(() => merge({ finalizers: [] }, patch), (error: unknown) => error instanceof ApiError && error.code === code, JSON.stringify(patch));
  }
  assert.deepEqual(merge({ finalizers: [] }, { '$setElementOrder/finalizers': ['x'], finalizers: ['x'] }), { finalizers: ['x'] });
});

test('a live item without its key is found where its list is merged with another', () => {
  const original = { containers: [{ image: 'x' }] };
  assert.throws(() => merge(original, { containers: [{ name: 'n' }] }), { message: 'map: map[image:x] does not contain declared merge key: name' });
  assert.deepEqual(merge(original, { labels: { a: '1' } }), { ...original, labels: { a: '1' } });
});

test('an item without its key is found where its list is put in an order', () => {
  const nameless = { containers: [{ image: 'x' }] };
  for (const order of [[], [{ name: 'a' }]]) {
    const ordered = { '$setElementOrder/containers': order };
    assert.throws(() => merge(nameless, ordered), { message: 'map: map[image:x] does not contain declared merge key: name' });
    assert.throws(() => merge({}, { ...ordered, containers: [null] }), ApiError);
  }
  assert.throws(() => merge({}, { '$setElementOrder/containers': [], ...nameless }), { message: 'map: map[image:x] does not contain declared merge key: name' });
});

test('what no schema describes is replaced part by part, and not merged', () => {
  const original = { anything: { a: { b: 1 }, c: [1], d: 1 } };
  assert.deepEqual(merge(original, { anything: { a: 1, d: { e: 1 }, f: {} } }), { anything: { a: 1, c: [1], d: { e: 1 }, f: {} } });
  assert.deepEqual(merge(original, { anything: { c: 1, d: [1] } }), { anything: { a: { b: 1 }, c: 1, d: [1] } });
  for (const part of [{ a: { g: 1 } }, { c: [2] }]) {
    assert.throws(() => merge(original, { anything: part }), { message: `unable to find api field in struct RawExtension for the json field "${Object.keys(part)[0]}"` });
  }
});

test('items of one key stand together where a list is replaced', () => {
  const items = [{ name: 'a', image: '1' }, { name: 'b' }, { name: 'a', image: '2' }];
  assert.deepEqual(merge({ containers: [{ name: 'z' }] }, { containers: [{ $patch: 'replace' }, ...items] }), { containers: [items[0], items[2], items[1]] });
});

test('a patch that names one item over and over, and all that is in it each time, has an end', () => {
  const env = Array.from({ length: 20_000 }, (_, n) => ({ name: `e${n}` }));
  const labels = Object.fromEntries(env.map(({ name }) => [name, '']));
  const original = { containers: [{ name: 'a', env }], labels, finalizers: Object.keys(labels) };
  const once = { containers: [{ name: 'a', env: env.toReversed(), '$setElementOrder/env': env.toReversed() }], labels: { ...labels, b: '' }, finalizers: Object.keys(labels).reverse() };
  assert.deepEqual(merge(original, once), { containers: [{ name: 'a', env: env.toReversed() }], labels: once.labels, finalizers: once.finalizers });
  for (const part of [{ env: [{ name: 'x' }] }, { env: [] }, { '$setElementOrder/env': [] }, { '$deleteFromPrimitiveList/env': [{ name: 'x' }] }, { unknown: { a: '' } }]) {
    const items = Array.from({ length: 120 }, () => ({ name: 'a', ...part }));
    const live = { containers: [{ name: 'a', env, unknown: labels }] };
    assert.throws(() => merge(live, { containers: items }), (error) => error instanceof ApiError && error.code === 413, JSON.stringify(part));
  }
});

test('any patch gives a result or an ApiError, and never touches prototypes', () => {
  const name = fc.constantFrom('labels', 'containers', 'finalizers', 'name', '$patch', '$retainKeys', '$setElementOrder/containers', '__proto__');
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, fc.constantFrom<unknown>(null, 'a', 'delete', 'replace', 1), fc.array(tie('tree'), { maxLength: 3 }), fc.dictionary(name, tie('tree'), { maxKeys: 4 })),
  }));
  fc.assert(
    fc.property(tree, tree, (original, patch) => {
      try {
        merge(typeof original === 'object' && original !== null && !Array.isArray(original) ? original : {}, patch);
      } catch (error) {
        assert.ok(error instanceof ApiError, String(error));
      }
      assert.equal(Object.keys(Object.prototype).length, 0);
    }),
  );
});
