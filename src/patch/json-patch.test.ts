import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '#errors';
import { jsonPatch } from './json-patch.ts';

const codeOf = (document: unknown, patch: unknown): number => {
  try {
    jsonPatch(document, patch);
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error.code;
  }
  return 200;
};

/** Written after the cases RFC 6902 describes. */
const RESULTS: readonly (readonly [why: string, document: unknown, patch: unknown, result: unknown])[] = [
  ['adding a member', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
  ['adding replaces a member', { a: 1 }, [{ op: 'add', path: '/a', value: 2 }], { a: 2 }],
  ['adding an item', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
  ['adding at the end', { a: [1] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2] }],
  ['appending', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
  ['a negative place counts from the end', { a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }], { a: [1] }],
  ['a place may have a sign and zeros in front', { a: [1, 2, 3] }, [{ op: 'remove', path: '/a/+1' }, { op: 'test', path: '/a/01', value: 3 }, { op: 'add', path: '/a/-1', value: 4 }, { op: 'replace', path: '/a/-0', value: 0 }], { a: [0, 3, 4] }],
  ['removing a member', { a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
  ['removing an item', { a: [1, 2, 3] }, [{ op: 'remove', path: '/a/1' }], { a: [1, 3] }],
  ['replacing', { a: { b: 1 } }, [{ op: 'replace', path: '/a/b', value: [] }], { a: { b: [] } }],
  ['replacing what is not there sets it', { a: {} }, [{ op: 'replace', path: '/a/b', value: 1 }], { a: { b: 1 } }],
  ['replacing everything', { a: 1 }, [{ op: 'replace', path: '', value: { b: 1 } }], { b: 1 }],
  ['replacing everything by a scalar says nothing', { a: 1 }, [{ op: 'replace', path: '', value: 2 }, { op: 'test', path: '/a', value: 1 }], { a: 1 }],
  ['moving a member', { a: { b: 1 }, c: {} }, [{ op: 'move', from: '/a/b', path: '/c/d' }], { a: {}, c: { d: 1 } }],
  ['moving an item', { a: [1, 2, 3] }, [{ op: 'move', from: '/a/0', path: '/a/2' }], { a: [2, 3, 1] }],
  ['moving to its own place', { a: [1, 2], b: 3 }, [{ op: 'move', from: '/a/0', path: '/a/0' }, { op: 'move', from: '/b', path: '/b' }], { a: [1, 2], b: 3 }],
  ['copying what is not there copies null', { a: {} }, [{ op: 'copy', from: '/a/b', path: '/c' }], { a: {}, c: null }],
  ['copying', { a: { b: [1] } }, [{ op: 'copy', from: '/a/b', path: '/c' }, { op: 'add', path: '/c/-', value: 2 }], { a: { b: [1] }, c: [1, 2] }],
  ['testing', { a: { b: [1, { c: null }] } }, [{ op: 'test', path: '/a', value: { b: [1, { c: null }] } }], { a: { b: [1, { c: null }] } }],
  ['testing in another spelling', { a: { b: 1, c: '<' } }, JSON.parse('[{ "op": "test", "path": "/a", "value": { "c": "\\u003c", "b": 1.0 } }]'), { a: { b: 1, c: '<' } }],
  ['testing the whole', { a: 1 }, [{ op: 'test', path: '', value: { a: 1 } }], { a: 1 }],
  ['testing without a value', { a: null }, [{ op: 'test', path: '/a' }, { op: 'test', path: '/b' }], { a: null }],
  ['testing for absence', { a: 1 }, [{ op: 'test', path: '/b', value: null }], { a: 1 }],
  ['escaped names', { 'a/b': 1, 'c~d': 2 }, [{ op: 'remove', path: '/a~1b' }, { op: 'replace', path: '/c~0d', value: 3 }], { 'c~d': 3 }],
  ['an escape is read once', {}, [{ op: 'add', path: '/~01~1~00~', value: 1 }], { '~1/~0~': 1 }],
  ['the empty name', { '': 1 }, [{ op: 'replace', path: '/', value: 2 }], { '': 2 }],
  ['a path without a slash in front', { data: {} }, [{ op: 'add', path: 'data/x', value: '1' }], { data: {}, x: '1' }],
  ['no value is null', {}, [{ op: 'add', path: '/a' }], { a: null }],
  ['no operations', { a: 1 }, null, { a: 1 }],
];

test('RFC 6902 operations', () => {
  for (const [why, document, patch, result] of RESULTS) assert.deepEqual(jsonPatch(document, patch), result, why);
});

test('patches that cannot be done are refused with the recorded codes', () => {
  const rows: readonly (readonly [patch: unknown, code: number])[] = [
    [{}, 400],
    ['x', 400],
    [[1], 400],
    [[{}], 422],
    [[{ op: 'bogus', path: '/a' }], 422],
    [[{ op: 'constructor', path: '/a' }], 422],
    [[{ op: 'add' }], 422],
    [[{ op: 'add', path: '', value: {} }], 422],
    [[{ op: 'replace', path: '' }], 422],
    [[{ op: 'add', path: '/none/deep', value: 1 }], 422],
    [[{ op: 'add', path: '/toString/x', value: 1 }], 422],
    [[{ op: 'remove', path: '/none' }], 422],
    [[{ op: 'remove', path: '/toString' }], 422],
    [[{ op: 'move', from: '/none', path: '/b' }], 422],
    [[{ op: 'test', path: '/a', value: 2 }], 422],
    [[{ op: 'test', path: '/list/2', value: null }], 422],
    [[{ op: 'test', path: '', value: { a: 1 } }], 422],
    [[{ op: 'test', path: '/a' }], 422],
    [[{ op: 'add', path: '/list/3', value: 1 }], 422],
    [[{ op: 'add', path: '/list/-4', value: 1 }], 422],
    [[{ op: 'replace', path: '/list/2', value: 1 }], 422],
    [[{ op: 'remove', path: '/list/-3' }], 422],
    ...['', 'x', '1.0', '0x1', '1e0', ' 1', '--1', '-'].map((place) => [[{ op: 'remove', path: `/list/${place}` }], 422] as const),
    [[{ op: 'move', from: '/o', path: '/o/in' }], 422],
    [[{ op: 'copy', from: '/list/2', path: '/b' }], 422],
    [[{ op: 'copy', from: '', path: '/b' }], 422],
    [[null], 422],
  ];
  for (const [patch, code] of rows) assert.equal(codeOf({ a: 1, list: [1, 2], o: {} }, patch), code, JSON.stringify(patch));
});

test('R8 at most 10,000 operations, and copies that stay bounded', () => {
  const operation = { op: 'test', path: '/a', value: 1 };
  assert.equal(codeOf({ a: 1 }, Array.from({ length: 10_000 }, () => operation)), 200);
  assert.equal(codeOf({ a: 1 }, Array.from({ length: 10_001 }, () => operation)), 413);
  const doubling = Array.from({ length: 64 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
  assert.equal(codeOf({ a: ['x'] }, doubling), 422);
  const nesting = Array.from({ length: 2000 }, () => ({ op: 'copy', from: '/a', path: '/a/b' }));
  assert.equal(codeOf({ a: {} }, nesting), 422);
  const deeper = Array.from({ length: 3_000 }, () => [{ op: 'add', path: '/b', value: {} }, { op: 'move', from: '/a', path: '/b/a' }, { op: 'move', from: '/b', path: '/a' }]).flat();
  const last = [{ op: 'test', path: '/a', value: { a: { a: {} } } }, { op: 'copy', from: '/a', path: '/c' }, { op: 'add', path: '/c', value: 1 }];
  for (const operation of last) assert.equal(codeOf({ a: {} }, [...deeper, operation]), 422, operation.op);
});

test('R8 operations put nothing deeper than a request may hold it, and leave alone what stands deeper', () => {
  const nested = (levels: number): object => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as object;
  const put = (levels: number): Record<string, readonly object[]> => ({
    add: [{ op: 'add', path: '/at/b', value: nested(levels - 2) }],
    'replace a member': [{ op: 'replace', path: '/at/c', value: nested(levels - 2) }],
    'replace everything': [{ op: 'replace', path: '', value: nested(levels) }],
    copy: [{ op: 'add', path: '/top', value: nested(levels - 2) }, { op: 'copy', from: '/top', path: '/at/b' }],
    move: [{ op: 'add', path: '/top', value: nested(levels - 2) }, { op: 'move', from: '/top', path: '/at/b' }],
    'move step by step': Array.from({ length: levels - 2 }, () => [{ op: 'add', path: '/top', value: {} }, { op: 'move', from: '/at', path: '/top/a' }, { op: 'move', from: '/top', path: '/at' }]).flat(),
  });
  for (const [what, operations] of Object.entries(put(512))) assert.equal(codeOf({ at: { c: 1 } }, operations), 200, what);
  for (const [what, operations] of Object.entries(put(513))) assert.equal(codeOf({ at: { c: 1 } }, operations), 422, what);
  const owned = { metadata: nested(600), data: { a: 'v' } };
  const beside = [{ op: 'move', from: '/data/a', path: '/data/b' }, { op: 'add', path: '/data/c', value: 'v' }, { op: 'copy', from: '/data/b', path: '/d' }];
  assert.deepEqual(jsonPatch(owned, beside), { ...owned, data: { b: 'v', c: 'v' }, d: 'v' });
});

test('R8 operations shift a bounded number of list items', () => {
  const list = Array.from({ length: 400_000 }, () => 0);
  const [insert, remove, move] = [{ op: 'add', path: '/a/0', value: 1 }, { op: 'remove', path: '/a/0' }, { op: 'move', from: '/a/0', path: '/a/-' }];
  for (const operation of [insert, remove, move]) {
    const patch = Array.from({ length: 1000 }, () => operation);
    assert.equal(codeOf({ a: list }, patch), 422, operation.op);
    assert.equal(codeOf({ a: list.slice(0, 10_000) }, patch), 200, operation.op);
  }
  const atTheEnd = [{ op: 'add', path: '/a/-', value: 1 }, { op: 'add', path: '/a/-1', value: 1 }, { op: 'remove', path: '/a/-1' }];
  for (const operation of atTheEnd) assert.equal(codeOf({ a: list }, Array.from({ length: 1000 }, () => operation)), 200, operation.op);
});

test('__proto__ and constructor are ordinary names', () => {
  const result = jsonPatch({ a: {} }, JSON.parse('[{"op":"add","path":"/a/__proto__","value":{"x":1}},{"op":"add","path":"/constructor","value":1}]'));
  assert.equal(JSON.stringify(result), '{"a":{"__proto__":{"x":1}},"constructor":1}');
  assert.equal(codeOf({}, [{ op: 'add', path: '/__proto__/polluted', value: 1 }]), 422);
  assert.equal(Reflect.get({}, 'polluted'), undefined);
});

test('what is there is replaced by anything and back again; no argument is changed', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.jsonValue(), fc.nat(), (document, value, pick) => {
      const names = Object.keys(document);
      const name = names[pick % names.length]!;
      const path = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const before = JSON.stringify(document);
      const changed = jsonPatch(document, [{ op: 'replace', path, value }]);
      const back = jsonPatch(changed, [{ op: 'test', path, value }, { op: 'replace', path, value: document[name] }]);
      assert.equal(JSON.stringify(back), before);
      assert.equal(JSON.stringify(document), before);
    }),
  );
});

test('any patch gives a result or an ApiError', () => {
  const path = fc.array(fc.constantFrom('', 'a', '0', '-', '-1', '__proto__', 'length'), { maxLength: 4 }).map((steps) => `/${steps.join('/')}`);
  const operation = fc.record(
    { op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'), path, from: path, value: fc.jsonValue() },
    { requiredKeys: ['op'] },
  );
  fc.assert(fc.property(fc.jsonValue(), fc.array(operation, { maxLength: 8 }), (document, patch) => void codeOf(document, patch)));
});
