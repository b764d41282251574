import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodePath } from './decode-path.ts';

test('escapes are decoded, also those that are no UTF-8', () => {
  for (const [path, decoded] of [
    ['/a/b', '/a/b'],
    ['/%61/%2F', '/a//'],
    ['/%c3%A9', '/\u00e9'],
    ['/%ff/x', '/\ufffd/x'],
    ['/%C3%28', '/\ufffd('],
    ['/%61%ff', '/a\ufffd'],
  ] as const) {
    assert.equal(decodePath(path), decoded, path);
  }
});

test('what is no escape is refused', () => {
  for (const path of ['/%', '/a%', '/%4', '/%zz', '/%ff%', '/%f', '/%+1']) assert.throws(() => decodePath(path), { code: 400 }, path);
});

test('what was encoded comes back', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => assert.equal(decodePath(encodeURIComponent(text)), text)), { seed: 1, numRuns: 200 });
});
