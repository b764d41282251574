import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { Gate } from './gate.ts';

const folder = mkdtempSync(join(tmpdir(), 'orch-gate-'));
const counter = join(folder, 'counter');

/** Resolves with the signal that ended it. */
function run(program: string): Promise<NodeJS.Signals | null> {
  const before = `
    import { readFileSync, writeFileSync } from 'node:fs';
    const { Gate } = await import(${JSON.stringify(new URL('./gate.js', import.meta.url).href)});
    const gate = Gate.open(${JSON.stringify(folder)});
    const counter = ${JSON.stringify(counter)};
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', before + program], { stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
}

describe('gate of a store', () => {
  after(() => rmSync(folder, { recursive: true }));

  it('lets one process at a time through', async () => {
    writeFileSync(counter, '0');
    // Without a lock between reading and writing most of them would be lost.
    const count = `for (let i = 0; i < 500; i++) gate.pass(() => writeFileSync(counter, String(Number(readFileSync(counter, 'utf8')) + 1)));`;
    await Promise.all([run(count), run(count), run(count)]);
    assert.equal(readFileSync(counter, 'utf8'), '1500');
  });

  it('is open again after a process that died inside, and after work that failed', async () => {
    const gate = Gate.open(folder);
    assert.equal(gate.pass(() => 1), 1);
    assert.equal(await run(`gate.pass(() => process.kill(process.pid, 'SIGKILL'));`), 'SIGKILL');
    assert.equal(gate.pass(() => 2), 2);
    assert.throws(() => gate.pass(() => assert.fail('work failed')), /work failed/);
    assert.equal(gate.pass(() => 3), 3);
    await gate.close();
  });
});
