import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ApiError } from '#errors';
import { mergePatch, mergePatchObject } from './merge-patch.ts';

/** Written after the cases RFC 7386 describes. */
const RESULTS: readonly (readonly [target: unknown, patch: unknown, result: unknown])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [['a', 'b'], ['c', 'd'], ['c', 'd']],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  // Not in RFC 7386, but what 1.23 does.
  [{}, { a: [{ b: null, c: 1 }, null, [{ b: null }]] }, { a: [{ c: 1 }, null, [{}]] }],
  [{ a: 1, b: [2] }, { a: [{ b: null }], b: [{ c: null }] }, { a: [{}], b: [{}] }],
  [{ a: { b: {} }, c: {} }, { a: { b: [{ b: null, c: 1 }, null] }, c: [[{ b: null }]] }, { a: { b: [{ b: null, c: 1 }, null] }, c: [[{ b: null }]] }],
];

/** A copy with each list replaced. */
const revived = (value: unknown, replace: (list: readonly unknown[]) => unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_name, part: unknown) => (Array.isArray(part) ? replace(part) : part));

test('RFC 7386 results', () => {
  for (const [target, patch, result] of RESULTS) assert.deepEqual(mergePatch(target, patch), result, JSON.stringify([target, patch]));
});

test('a patch applied twice is applied once; the empty patch changes nothing; no argument is changed', () => {
  const object = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), fc.jsonValue(), { noNullPrototype: true });
  // Nulls in a list are kept where it takes the place of an object, and not where it then takes its own.
  const noNulls = (list: readonly unknown[]): unknown => JSON.parse(JSON.stringify(list).replaceAll('null', '0'));
  const patches = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), fc.jsonValue().map((value) => revived(value, noNulls)), { noNullPrototype: true });
  fc.assert(
    fc.property(object, patches, (target, patch) => {
      const before = JSON.stringify([target, patch]);
      const once = mergePatch(target, patch);
      assert.deepEqual(mergePatch(once, patch), once);
      assert.deepEqual(mergePatch(target, {}), target);
      assert.equal(JSON.stringify([target, patch]), before);
    }),
  );
});

test('a list as a patch takes the place of the object', () => {
  assert.deepEqual(mergePatchObject({ a: 1 }, [{ b: null }]), [{}]);
});

test('a patch of a whole object must be an object or a list that is not nested too deeply', () => {
  const nested: unknown = JSON.parse(`${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`);
  for (const patch of [null, 'x', 1, nested, [nested]]) {
    assert.throws(
      () => mergePatchObject({}, patch),
      (error: unknown) => error instanceof ApiError && error.code === 400,
    );
  }
});

test('a patch may be as deep as a request, whatever it is made of', () => {
  for (const [open, close] of [['{"a":', '}'], ['[', ']']]) {
    const nested = (levels: number): unknown => JSON.parse(`{"a":${open?.repeat(levels - 1)}1${close?.repeat(levels - 1)}}`);
    for (const target of [{}, { a: 1 }, { a: {} }]) {
      assert.deepEqual(mergePatchObject(target, nested(512)), nested(512));
      assert.throws(() => mergePatchObject(target, nested(513)), /the value is nested more than 512 levels deep/);
    }
  }
});

test('__proto__ is an ordinary name', () => {
  const merged = mergePatch(JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"b":2}}'));
  assert.equal(JSON.stringify(merged), '{"__proto__":{"a":1,"b":2}}');
  assert.equal(Reflect.get({}, 'b'), undefined);
});
