import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CollectedPieces } from './collected-pieces.ts';

const PIECES = fc.array(fc.oneof(fc.uint8Array({ maxLength: 20, size: 'max' }), fc.uint8Array({ maxLength: 3_000, size: 'max' }), fc.uint8Array({ minLength: 16_000, maxLength: 20_000, size: 'max' })), { maxLength: 40, size: 'max' });

test('pieces of whatever sizes come out as one, in order', () => {
  fc.assert(
    fc.property(PIECES, (pieces) => {
      const collected = new CollectedPieces();
      for (const piece of pieces) collected.add(piece);
      const all = Buffer.concat(pieces);
      assert.equal(collected.size, all.length);
      assert.ok(all.equals(collected.concat()));
    }),
  );
});

test('a piece alone is not copied', () => {
  const collected = new CollectedPieces();
  const piece = Buffer.from('x');
  collected.add(piece);
  assert.equal(collected.concat(), piece);
});

test('small pieces are copied as they come, so that nobody has to keep a hundred thousand of them', () => {
  const collected = new CollectedPieces();
  const piece = Buffer.from('x');
  for (let n = 0; n < 100_000; n++) collected.add(piece);
  piece[0] = 0;
  // The first one stays as it came.
  assert.equal(Buffer.from(collected.concat()).lastIndexOf(0), 0);
});

test('small pieces take little more memory than their bytes', () => {
  const before = process.memoryUsage().arrayBuffers;
  const collected = new CollectedPieces();
  const piece = Buffer.alloc(10);
  for (let n = 0; n < 10_000; n++) collected.add(piece);
  const taken = process.memoryUsage().arrayBuffers - before;
  assert.ok(taken < 2 * collected.size, `${taken} bytes for ${collected.size}`);
});
