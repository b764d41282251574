import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { OpenLock } from './open-lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'orch-open-lock-'));
const counter = join(folder, 'counter');

/** Resolves with the signal that ended it. */
function run(program: string): Promise<NodeJS.Signals | null> {
  const before = `
    import { readFileSync, writeFileSync } from 'node:fs';
    const { OpenLock } = await import(${JSON.stringify(new URL('./open-lock.js', import.meta.url).href)});
    const lock = OpenLock.open(${JSON.stringify(folder)});
    const counter = ${JSON.stringify(counter)};
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', before + program], { stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
}

describe('lock under which a store is opened', () => {
  after(() => rmSync(folder, { recursive: true }));

  it('lets one process at a time through', async () => {
    writeFileSync(counter, '0');
    // Without a lock between reading and writing most of them would be lost.
    const count = `for (let i = 0; i < 500; i++) lock.run(() => writeFileSync(counter, String(Number(readFileSync(counter, 'utf8')) + 1)));`;
    await Promise.all([run(count), run(count), run(count)]);
    assert.equal(readFileSync(counter, 'utf8'), '1500');
  });

  it('is open again after a process that died inside, and after work that failed', async () => {
    const lock = OpenLock.open(folder);
    assert.equal(lock.run(() => 1), 1);
    assert.equal(await run(`lock.run(() => process.kill(process.pid, 'SIGKILL'));`), 'SIGKILL');
    assert.equal(lock.run(() => 2), 2);
    assert.throws(() => lock.run(() => assert.fail('work failed')), /work failed/);
    assert.equal(lock.run(() => 3), 3);
    await lock.close();
  });
});
