import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RECORD_BUFFER_BYTES } from './limits.ts';
import { RecordBuffer } from './record-buffer.ts';

describe('space for records', () => {
  it('gives nobody what another one has, and everybody what was asked for', () => {
    const space = new RecordBuffer();
    const lengths = [1, 0, 70_000, RECORD_BUFFER_BYTES, 100_000, 90_000, 20_000, 2 * RECORD_BUFFER_BYTES, 3];
    const taken = lengths.map((length, i) => space.take(length).fill(i));
    assert.deepEqual(taken.map(({ length }) => length), lengths);
    for (const [i, bytes] of taken.entries()) assert.ok(bytes.every((byte) => byte === i));
  });

  it('is the same again once it was cleared', () => {
    const space = new RecordBuffer();
    const first = space.take(100).fill(1);
    space.take(50);
    space.clear();
    const second = space.take(100).fill(2);
    assert.deepEqual(first, second);
  });
});
