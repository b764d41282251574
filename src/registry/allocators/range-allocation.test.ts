import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NumberPool } from './number-pool.ts';
import { poolFrom, toStored } from './range-allocation.ts';

const SIZE = 2768;
const poolOf = (numbers: Iterable<number>): NumberPool => {
  const pool = new NumberPool(SIZE);
  for (const number of numbers) pool.allocate(number);
  return pool;
};

test('the numbers are stored as one whole number, most significant byte first', () => {
  const rows: readonly (readonly [readonly number[], readonly number[]])[] = [
    [[], []],
    [[0], [1]],
    [[1, 3], [0b1010]],
    [[0, 9], [2, 1]],
    [[16], [1, 0, 0]],
  ];
  for (const [numbers, bytes] of rows) {
    assert.deepEqual(toStored('servicenodeports', '30000-32767', poolOf(numbers)), { kind: 'RangeAllocation', apiVersion: 'v1', metadata: { name: 'servicenodeports' }, range: '30000-32767', data: Buffer.from(bytes).toString('base64') });
  }
});

test('what was stored is read back, but for another range', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(SIZE - 1)), (numbers) => {
      const stored = toStored('servicenodeports', '30000-32767', poolOf(numbers));
      assert.deepEqual([...poolFrom(SIZE, '30000-32767', stored).allocated()], numbers.toSorted((a, b) => a - b));
      assert.deepEqual([...poolFrom(SIZE, '30000-32766', stored).allocated()], []);
    }),
  );
});

test('where nothing is allocated Kubernetes stores no number', () => {
  const { data: _, ...stored } = toStored('n', 'a', poolOf([]));
  assert.deepEqual([...poolFrom(SIZE, 'a', stored).allocated()], []);
});

test('numbers beyond the range, as a larger one had them, are left out', () => {
  const stored = toStored('n', 'a', poolOf([1, 20]));
  for (const size of [8, 12, 20]) {
    const pool = poolFrom(size, 'a', stored);
    assert.deepEqual([...pool.allocated()], [1]);
    const free = Array.from({ length: size - 1 }, () => pool.allocateNext());
    assert.deepEqual([new Set(free).size, pool.allocateNext()], [size - 1, undefined], 'and do not count');
  }
});
