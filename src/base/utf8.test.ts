import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { utf8Length } from './utf8.ts';

test('as many bytes as an encoder makes, halves of pairs included', () => {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 }).map((codes) => String.fromCharCode(...codes));
  const texts = fc.oneof(units, fc.string({ unit: 'grapheme', maxLength: 300 }));
  fc.assert(fc.property(texts, (text) => assert.equal(utf8Length(text), new TextEncoder().encode(text).byteLength)));
});
