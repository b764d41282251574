import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base';
import { refusalLog } from './refusal-log.ts';

test('the same reason is logged once in ten minutes, many others are not logged at all, and long ones are cut', () => {
  const lines: unknown[] = [];
  let nowMs = 0;
  const clock = { nowMs: () => nowMs, after: () => () => {} };
  const note = refusalLog({ ...silentLog, warn: (message, fields) => void lines.push([message, fields]) }, clock);
  for (const from of [undefined, undefined, '10.0.0.1', '10.0.0.1']) note('ended', from);
  note('x'.repeat(5_000));
  assert.deepEqual(lines.splice(0), [
    ['credentials are refused', { why: 'ended' }],
    ['credentials are refused', { why: 'ended', remoteAddress: '10.0.0.1' }],
    ['credentials are refused', { why: 'x'.repeat(1_024) }],
  ]);
  for (let n = 0; n < 1_000; n++) note(`reason ${n}`);
  assert.equal(lines.splice(0).length, 97);
  nowMs += 600_000;
  note('ended');
  assert.equal(lines.length, 1);
});
