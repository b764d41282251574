import assert from 'node:assert/strict';
import { it } from 'node:test';
import { showProgress } from './show-progress.ts';

it('says nothing in the first two seconds, and then something every two', () => {
  const lines: string[] = [];
  let nowMs = 1_000;
  const progress = showProgress({ err: (line) => lines.push(line) }, 'checking', () => nowMs);
  for (nowMs = 1_000; nowMs < 7_000; nowMs += 500) progress(nowMs / 100, 100);
  assert.deepEqual(lines, ['checking: 30 of 100 (30 %)\n', 'checking: 50 of 100 (50 %)\n']);
  progress(0, 0);
  assert.equal(lines[2], 'checking: 0 of 0 (0 %)\n');
});
