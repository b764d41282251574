import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const NO_FIFOS = spawnSync('mkfifo', ['--version']).error === undefined ? false : 'this system makes no named pipes';

test('the first signal is heard, and the second one ends a process, though one of its threads waits for something that does not come', { skip: NO_FIFOS, timeout: 30_000 }, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'orch-signals-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const pipe = join(folder, 'pipe');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  const program = `
    const { waitForSignal } = await import(${JSON.stringify(new URL('./ending-signals.js', import.meta.url).href)});
    const first = waitForSignal();
    // Nobody writes to it: opening it waits.
    process.getBuiltinModule('node:fs').open(${JSON.stringify(pipe)}, 'r', () => {});
    console.log('waiting');
    console.log(await first);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  context.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  assert.equal(String((await once(child.stdout, 'data'))[0]), 'SIGTERM\n');
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [null, 'SIGTERM']);
});
