import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isLongerThan, utf8Length } from './utf8.ts';

test('a limit in bytes is met by texts of few characters', () => {
  assert.equal(isLongerThan('a'.repeat(15), 15), false);
  assert.equal(isLongerThan('a'.repeat(16), 15), true);
  assert.equal(isLongerThan('é'.repeat(7), 15), false);
  assert.equal(isLongerThan('é'.repeat(8), 15), true);
  assert.equal(isLongerThan('\u{1f600}'.repeat(4), 15), true);
});

test('as many bytes as an encoder makes, halves of pairs included', () => {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300, size: 'max' }).map((codes) => String.fromCharCode(...codes));
  const texts = fc.oneof(units, fc.string({ unit: 'grapheme', maxLength: 300, size: 'max' }));
  fc.assert(fc.property(texts, (text) => assert.equal(utf8Length(text), new TextEncoder().encode(text).byteLength)));
});
