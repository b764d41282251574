// The runner of tests misses no result.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

test('what a test process reports is read in full by a runner that has no time until it has ended', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'orch-whole-reports-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const program = path.join(folder, 'sixty.test.mjs');
  writeFileSync(program, "import { test } from 'node:test';\nfor (let number = 1; number <= 60; number++) test(`number ${number}`, () => {});\n");

  const args = [`--import=${new URL('../../scripts/whole-reports.mjs', import.meta.url)}`, '--test-force-exit', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_TEST_CONTEXT: 'child-v8' } });
  const chunks = [];
  child.stdout.on('data', (chunk) => chunks.push(chunk));
  // The process reports and ends, or waits for its report to be read, while this thread does nothing else.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  await once(child, 'close');

  const passes = Buffer.concat(chunks).toString('latin1').split('test:pass').length - 1;
  assert.equal(passes, 60);
});
