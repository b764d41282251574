import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import files, { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, mock, type TestContext } from 'node:test';
import { StillClock } from '#base';
import { HELD_LONG_MS } from './limits.ts';
import { OpenLock } from './open-lock.ts';

const folder = mkdtempSync(join(tmpdir(), 'orch-open-lock-'));
const counter = join(folder, 'counter');

const BEFORE = `
  import { readFileSync, writeFileSync, writeSync } from 'node:fs';
  const { OpenLock } = await import(${JSON.stringify(new URL('./open-lock.js', import.meta.url).href)});
  const lock = OpenLock.open(${JSON.stringify(folder)});
  const counter = ${JSON.stringify(counter)};
`;

/** Resolves with the signal that ended it. */
function run(program: string): Promise<NodeJS.Signals | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', BEFORE + program], { stdio: ['ignore', 'inherit', 'inherit'] });
  return new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
}

/** A process that holds the lock, and is suspended then. */
async function suspendedHolder(context: TestContext): Promise<ChildProcess> {
  const holder = spawn(process.execPath, ['--input-type=module', '-e', `${BEFORE} await lock.run(() => { writeSync(1, 'held'); process.kill(process.pid, 'SIGSTOP'); });`], { stdio: ['ignore', 'pipe', 'inherit'] });
  context.after(() => holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  return holder;
}

describe('lock under which a store is opened', () => {
  after(() => rmSync(folder, { recursive: true }));

  it('lets one process at a time through', async () => {
    writeFileSync(counter, '0');
    // Without a lock between reading and writing most of them would be lost.
    const count = `for (let i = 0; i < 500; i++) await lock.run(() => writeFileSync(counter, String(Number(readFileSync(counter, 'utf8')) + 1)));`;
    await Promise.all([run(count), run(count), run(count)]);
    assert.equal(readFileSync(counter, 'utf8'), '1500');
  });

  it('is not opened where the system has no room to write a page of a file anew, for which it would end the process later, and the reason is told', async () => {
    await OpenLock.open(folder).close();
    for (const [code, reason] of [['ENOSPC', 'no space left on device'], ['EDQUOT', 'disk quota exceeded']] as const) {
      const full = mock.method(files, 'writeSync', () => {
        throw Object.assign(new Error(`${code}: ${reason}, write`), { code });
      });
      syncBuiltinESMExports();
      try {
        assert.throws(() => OpenLock.open(folder), { code: 'full', message: new RegExp(`gate.mdb cannot be opened \\(${code}: ${reason}, write\\): its disk is full, make room on it$`) });
      } finally {
        full.mock.restore();
        syncBuiltinESMExports();
      }
    }
    await OpenLock.open(folder).close();
  });

  it('is not opened where its file is damaged, on which the process would crash: what to do is told', async (context) => {
    const place = mkdtempSync(join(tmpdir(), 'orch-open-lock-'));
    context.after(() => rmSync(place, { recursive: true }));
    const file = join(place, 'gate.mdb');
    await OpenLock.open(place).close();
    const whole = readFileSync(file);
    for (const bytes of [Buffer.alloc(20_000), Buffer.from('hello\n'.repeat(5_000)), Buffer.concat([whole.subarray(0, 88), Buffer.alloc(whole.length - 88)])]) {
      writeFileSync(file, bytes);
      assert.throws(() => OpenLock.open(place), { code: 'corrupt', message: /gate\.mdb is damaged \([^)]+\), and nothing is kept in it: end all processes that have the store open, and remove this file$/ });
      assert.deepEqual(readFileSync(file), bytes);
    }
    rmSync(file);
    const lock = OpenLock.open(place);
    assert.equal(await lock.run(() => 1), 1);
    await lock.close();
  });

  it('is open again after a process that died inside, and after work that failed', async () => {
    const lock = OpenLock.open(folder);
    assert.equal(await lock.run(() => 1), 1);
    assert.equal(await run(`await lock.run(() => process.kill(process.pid, 'SIGKILL'));`), 'SIGKILL');
    assert.equal(await lock.run(() => 2), 2);
    await assert.rejects(lock.run(() => assert.fail('work failed')), /work failed/);
    assert.equal(await lock.run(() => 3), 3);
    await lock.close();
  });

  it('is opened, too, while a process holds it that is suspended: the one that comes later hears signals', async (context) => {
    await suspendedHolder(context);
    const hears = `${BEFORE} process.once('SIGTERM', () => writeSync(1, 'heard')); process.kill(process.pid, 'SIGTERM'); await lock.close();`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', hears], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], timeout: 30_000, killSignal: 'SIGKILL' });
    assert.equal(stdout, 'heard');
  });

  it('leaves those free who wait for a process that holds it and is suspended: they are told, can stop and can end', { timeout: 30_000 }, async (context) => {
    const lock = OpenLock.open(folder);
    const holder = await suspendedHolder(context);
    const [clock, stop, told, late] = [new StillClock(), new AbortController(), [] as string[], [] as string[]];
    const stopped = lock.run(() => late.push('work that nobody waits for any more'), { clock, stop: stop.signal, tell: (message) => void told.push(message) });
    clock.turn(HELD_LONG_MS - 1);
    assert.deepEqual(told, []);
    for (let time = 0; time < 60; time++) clock.turn(HELD_LONG_MS);
    assert.match(told.join('\n'), /^still waiting: another process has \S+gate\.mdb locked, to open or close the store, and does not go on: continue it or end it [^\n]+$/);
    stop.abort(new Error('no longer wanted'));
    await assert.rejects(stopped, /no longer wanted/);
    await assert.rejects(lock.run(assert.fail, { stop: stop.signal }), /no longer wanted/);
    await lock.closeStore({ close: async () => void late.push('a store is closed that another process may be opening') });
    const waiting = lock.run(() => 'at last');
    holder.kill('SIGCONT');
    assert.equal(await waiting, 'at last');
    assert.deepEqual(late, []);
    await lock.close();
  });
});
