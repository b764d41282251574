import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { comesBefore, compareUtf8 } from './utf8-order.ts';

test('strings are in the order of their bytes, those with characters that UTF-16 has elsewhere among them', () => {
  const character = fc.constantFrom('/', 'a', 'b', '\u00e9', '\ud7ff', '\ue000', '\uffee', '\u{1f600}', '\u{10ffff}');
  const text = fc.array(character, { maxLength: 6 }).map((characters) => characters.join(''));
  fc.assert(
    fc.property(text, text, (one, other) => {
      const order = Buffer.compare(Buffer.from(one), Buffer.from(other));
      assert.deepEqual([Math.sign(compareUtf8(one, other)), comesBefore(other)(one)], [order, order < 0]);
    }),
    { numRuns: 2_000 },
  );
});
