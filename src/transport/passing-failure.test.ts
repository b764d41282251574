import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TransportFailure } from './failure.ts';
import { isPassing } from './passing-failure.ts';

const answered = (status: number): TransportFailure => new TransportFailure('refused-answer', `answered with status ${status}`, { status });

test('a call is worth another try after silence, a broken connection, and answers that ask for patience', () => {
  for (const failure of [new TransportFailure('timeout', 't'), new TransportFailure('unreachable', 'u'), ...[429, 500, 502, 503, 504].map(answered)]) {
    assert.equal(isPassing(failure), true, failure.message);
  }
});

test('nothing else is, whatever the other side has put into its answer', () => {
  const quoting = new TransportFailure('refused-answer', 'https://a answered with status 400: "not with status 500"', { status: 400 });
  for (const failure of [quoting, answered(302), answered(404), new TransportFailure('untrusted', 'u'), new TransportFailure('garbage', 'status 500'), new Error('e')]) {
    assert.equal(isPassing(failure), false, failure.message);
  }
});
