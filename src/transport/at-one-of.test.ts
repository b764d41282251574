import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atOneOf } from './at-one-of.ts';
import { TransportFailure, type TransportFailureCode } from './failure.ts';

type End = TransportFailureCode | 'answer';

/** How many of the addresses with these ends are called, and what comes of it: an answer, or the failure of which call. */
async function calledAt(...ends: readonly [End, ...End[]]): Promise<readonly unknown[]> {
  let called = 0;
  const call = async (end: End): Promise<string> => {
    called++;
    if (end !== 'answer') throw new TransportFailure(end, `${called}`);
    return end;
  };
  const end = await atOneOf(ends, call).catch((error: unknown) => (error as TransportFailure).message);
  return [called, end];
}

test('a call is made at the next address only where the one before refuses the connection: another one may have heard of it', async () => {
  assert.deepEqual(await calledAt('answer', 'answer'), [1, 'answer']);
  assert.deepEqual(await calledAt('refused', 'refused', 'answer', 'answer'), [3, 'answer']);
  assert.deepEqual(await calledAt('refused', 'refused'), [2, '2']);
  for (const code of ['unreachable', 'timeout', 'aborted', 'untrusted', 'refused-answer', 'garbage'] as const) assert.deepEqual(await calledAt(code, 'answer'), [1, '1']);
});
