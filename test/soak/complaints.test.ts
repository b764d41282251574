import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complaintsIn } from './complaints.ts';

const line = (level: string, message: string, fields: object = {}): string => JSON.stringify({ time: 't', level, message, ...fields });

test('a complaint is explained by its cause, whoever complains; one without such a cause is not', () => {
  const explained = [
    line('info', 'anything'),
    line('warn', 'garbage collection of an object failed and is tried again', { cause: { message: 'the store has no space left: nothing can be written' } }),
    line('warn', 'the store can be written again'),
    line('warn', 'the status of a flow schema could not be written; it is tried again', { status: 503 }),
    line('warn', 'a request failed at somebody whom the server asked', { why: 'failed calling webhook "fail.soak.example.com": cannot reach https://a' }),
    'orch serves https://127.0.0.1:1',
  ];
  const complaint = line('warn', 'garbage collection of an object failed and is tried again', { cause: { message: 'x is not a function' } });
  assert.deepEqual(complaintsIn([...explained, complaint, ''].join('\n')), [complaint]);
});
