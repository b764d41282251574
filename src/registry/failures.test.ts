import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '#errors';
import { StorageFailure } from '#storage';
import { inApiTerms } from './failures.ts';

/** @spec 7 */
const TOLD: Readonly<Record<StorageFailure['code'], readonly [code: number, reason: string]>> = {
  compacted: [410, 'Expired'],
  future: [504, 'Timeout'],
  full: [503, 'ServiceUnavailable'],
  tooLarge: [413, 'RequestEntityTooLarge'],
  unavailable: [503, 'ServiceUnavailable'],
  contended: [429, 'TooManyRequests'],
  corrupt: [500, 'InternalError'],
};

test('every failure of a store has a code and a reason in the API, whether it is thrown or comes later', async () => {
  for (const [code, told] of Object.entries(TOLD)) {
    const failure = new StorageFailure(code as StorageFailure['code'], 'why');
    const isTold = (cause: unknown): boolean => cause instanceof ApiError && cause.code === told[0] && cause.reason === told[1];
    await assert.rejects(inApiTerms(() => Promise.reject(failure)), isTold, code);
    assert.throws(() => void inApiTerms(() => { throw failure; }), isTold, code);
  }
});

test('who wrote is told whether to try again, or first to look whether the write was done', async () => {
  for (const [isUnconfirmed, message] of [[false, /not available, try again$/], [true, /may have been done: read what is there before you try again$/]] as const) {
    await assert.rejects(inApiTerms(() => Promise.reject(new StorageFailure('unavailable', 'why', { isUnconfirmed }))), { code: 503, message });
  }
});

test('what is said in words of the API already, and what nobody knows, stays what it is', async () => {
  for (const cause of [new ApiError('Conflict', 'no'), new TypeError('x')]) await assert.rejects(inApiTerms(() => Promise.reject(cause)), (thrown) => thrown === cause);
});
