import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { copyJson, DepthFailure, MAX_DEPTH, sizeOf } from './json-value.ts';

const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, 12, 'abc', ''),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'bc', '__proto__'), tie('json'), { noNullPrototype: true }),
  ),
}));

test('a copy is the same value and shares nothing; its size is that of its text, and little more', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = JSON.stringify(value);
      const copy = copyJson(value);
      assert.equal(JSON.stringify(copy), text);
      if (typeof value === 'object' && value !== null) assert.notEqual(copy, value);
      const size = sizeOf(value);
      assert.ok(size >= text.length && size <= text.length * 1.5, `${size} of ${text}`);
    }),
  );
});

test('neither goes deeper than a value may be', () => {
  for (const wrap of [(inner: unknown): unknown => [inner], (inner: unknown): unknown => ({ a: inner })]) {
    let value: unknown = 1;
    for (let depth = 0; depth < MAX_DEPTH; depth++) value = wrap(value);
    assert.equal(JSON.stringify(copyJson(value)), JSON.stringify(value));
    assert.ok(sizeOf(value) > MAX_DEPTH);
    for (const visit of [copyJson, sizeOf]) assert.throws(() => visit(wrap(value)), DepthFailure);
  }
});
