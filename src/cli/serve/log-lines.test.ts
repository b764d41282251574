import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceUnavailable } from '#errors';
import { logLines } from './log-lines.ts';

test('no text begins a line of its own or moves the hand of a terminal, and all of it can be read back', () => {
  const lines: string[] = [];
  const log = logLines((text) => lines.push(text), true);
  const forged = 'a\r\n{"level":"error"}\u001b[2J\u0007\u007f\u009b2J\u0085\u2028\u2029\u202eb\u2066\u0000';
  log.warn(forged, { path: forged, [forged]: 1 });
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /^[\x20-\x7e]*\n$/);
  const { message, path, [forged]: named } = JSON.parse(lines[0] ?? '') as Readonly<Record<string, unknown>>;
  assert.deepEqual([message, path, named], [forged, forged, 1]);
});

test('a failure is told with its message', () => {
  const lines: string[] = [];
  logLines((text) => lines.push(text), false).warn('not done', { cause: serviceUnavailable('the store has no space left') });
  const { cause } = JSON.parse(lines[0] ?? '') as { readonly cause: unknown };
  assert.deepEqual(cause, { name: 'ApiError', reason: 'ServiceUnavailable', code: 503, message: 'the store has no space left' });
});
