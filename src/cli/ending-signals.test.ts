import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';

const NO_FIFOS = spawnSync('mkfifo', ['--version']).error === undefined ? false : 'this system makes no named pipes';

/** A program of which a thread waits for something that does not come; `then` is what it does once it has told the first signal that it hears. */
async function waiting(context: TestContext, then: string): Promise<{ readonly child: ChildProcessByStdio<null, Readable, null>; readonly ended: Promise<unknown> }> {
  const folder = mkdtempSync(join(tmpdir(), 'orch-signals-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const pipe = join(folder, 'pipe');
  assert.equal(spawnSync('mkfifo', [pipe]).status, 0);
  const program = `
    const { endThoughThreadsWait, waitForSignal } = await import(${JSON.stringify(new URL('./ending-signals.js', import.meta.url).href)});
    const first = waitForSignal();
    // Nobody writes to it: opening it waits.
    process.getBuiltinModule('node:fs').open(${JSON.stringify(pipe)}, 'r', () => {});
    console.log('waiting');
    console.log(await first);
    ${then}
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  context.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return { child, ended };
}

describe('a process of which a thread waits for something that does not come', { skip: NO_FIFOS, timeout: 30_000 }, () => {
  it('hears the first signal, and is ended by the second one', async (context) => {
    const { child, ended } = await waiting(context, '');
    child.kill('SIGTERM');
    assert.equal(String((await once(child.stdout, 'data'))[0]), 'SIGTERM\n');
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [null, 'SIGTERM']);
  });

  it('ends by the signal that it heard once its command has ended', async (context) => {
    const { child, ended } = await waiting(context, 'endThoughThreadsWait();');
    child.kill('SIGINT');
    assert.deepEqual(await ended, [null, 'SIGINT']);
  });
});
