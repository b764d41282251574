import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { nextTurn, SetClock, systemClock } from '#base';
import { engineSuite, HISTORY_SECONDS } from '../../engine-suite.ts';
import { NO_MOUNTS, readsLargeChangesInPieces, refusesWritesToMovedFile, refusesWritesToReadOnlyFileSystem } from '../../opened-file-suite.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { FIRST_PROCESS, NO_NAMESPACES } from '../../test-support.ts';
import { FILE, FORMAT, LOCK_FILE, openTables } from './database.ts';
import { driver } from './index.ts';
import { TRIM_EVERY_MS } from './limits.ts';
import type { Owner } from './owner.ts';
import { openIn, spaceIn } from './test-support.ts';
import { world } from '../../world.ts';

const folders: string[] = [];
const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'orch-lmdb-'));
  folders.push(folder);
  return folder;
};
const clean = async (): Promise<void> => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
};
const isUnavailable = (words: RegExp) => (error: unknown) => error instanceof StorageFailure && error.code === 'unavailable' && words.test(error.message);

/** Runs `work` as in a container whose processes make everything for everybody. */
async function withoutUmask(work: () => Promise<void>): Promise<void> {
  const before = process.umask(0);
  await work().finally(() => process.umask(before));
}

/** A program that opens the store in a folder and keeps it open. */
const holder = (folder: string): string => `
  const { driver } = await import(${JSON.stringify(new URL('./index.js', import.meta.url).href)});
  const clock = { nowMs: () => Date.now(), after: () => () => {} };
  await driver.open({ location: ${JSON.stringify(folder)}, historySeconds: 300, clock, log() {} });
  console.log('open');
  setInterval(() => {}, 1000);
`;
/** One that looks at a moment of it for as long as it lives. */
const reader = (folder: string): string => `
  const { openSnapshot } = await import(${JSON.stringify(new URL('./snapshot.js', import.meta.url).href)});
  await openSnapshot(${JSON.stringify(folder)});
  console.log('open');
  setInterval(() => {}, 1000);
`;

let last = '';
engineSuite('lmdb', {
  open: async (clock) => {
    last = await makeFolder();
    return openIn(last, clock);
  },
  reopen: (clock) => openIn(last, clock),
  clean,
});

describe('lmdb store', () => {
  after(clean);

  it('writes over what is forgotten again when a process has died that was reading', async () => {
    const folder = await makeFolder();
    const clock = new SetClock();
    const engine = await openIn(folder, clock);
    await engine.commit({ key: '/b', expect: 0, value: Buffer.from('1') });
    const child = spawn(process.execPath, ['--input-type=module', '-e', reader(folder)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'exit');
    clock.turn(TRIM_EVERY_MS);
    const value = Buffer.alloc(1_000_000);
    for (let expect = 0, i = 0; i < 30; i++) {
      const commit = await engine.commit({ key: '/a', expect, value });
      assert.ok(commit.done);
      expect = commit.revision;
      await engine.compact(expect);
    }
    const { size } = await stat(join(folder, FILE));
    assert.ok(size < 10 * value.length, `${size} bytes for one value`);
    await engine.close();
  });

  it('makes the folder and can be opened once only in a process', async () => {
    const folder = join(await makeFolder(), 'deep', 'er');
    const engine = await openIn(folder);
    await assert.rejects(openIn(folder), isUnavailable(/already open/));
    await engine.commit({ key: '/a', expect: 0, value: new Uint8Array([1]) });
    await engine.close();
    const again = await openIn(folder);
    assert.equal(await again.head(), 2);
    await again.close();
  });

  it('is closed for everybody who closes it at the same time, and can be opened again then', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    const first = engine.close();
    await engine.close();
    await (await openIn(folder)).close();
    await first;
  });

  for (const file of [FILE, LOCK_FILE]) {
    it(`takes no writes while ${file} is moved away or replaced`, async () => refusesWritesToMovedFile(driver, await makeFolder(), file));
  }

  it('takes no writes once the record that it writes was removed, as by whoever clears away old files, and another process writes', async () => {
    const folder = await makeFolder();
    const said: string[] = [];
    const engine = await driver.open({ location: folder, historySeconds: HISTORY_SECONDS, clock: systemClock, log: (message) => void said.push(message) });
    for (const name of await readdir(folder)) if (name.startsWith('owner')) await rm(join(folder, name));
    const commit = (): Promise<unknown> => engine.commit({ key: '/a', expect: 0, value: new Uint8Array([1]) });
    const isRefused = isUnavailable(/owner\.json, .* was removed or replaced: another one may write, too, .* start this server anew$/);
    await assert.rejects(commit(), isRefused);
    const other = spawn(process.execPath, ['--input-type=module', '-e', holder(folder)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(other.stdout, 'data');
    await assert.rejects(commit(), isRefused);
    assert.equal((await engine.scan({ start: '/', end: '0' })).entries.length, 0);
    await engine.close();
    assert.equal((JSON.parse(await readFile(join(folder, 'owner.json'), 'utf8')) as Owner).pid, other.pid);
    other.kill('SIGKILL');
    assert.equal(said.length, 1);
  });

  it('gives large values to those who are behind a few at a time', async () => readsLargeChangesInPieces(await openIn(await makeFolder())));

  it('takes no writes while its file system is read-only, and can be closed then', { skip: NO_MOUNTS }, async () => refusesWritesToReadOnlyFileSystem(new URL('./index.js', import.meta.url), await makeFolder()));

  it('is nobody else\'s to read: neither a folder that it makes, nor its files in a folder that was there', async () => {
    const folder = await makeFolder();
    const made = join(folder, 'new');
    await (await openIn(made)).close();
    assert.equal((await stat(made)).mode & 0o077, 0);
    await chmod(folder, 0o755);
    await withoutUmask(async () => {
      const engine = await openIn(folder);
      const names = (await readdir(folder)).filter((name) => name !== 'new');
      assert.deepEqual(new Set(names.map((name) => name.split('-')[0])), new Set(['gate.mdb', 'orch.mdb', 'owner', 'owner.json']));
      for (const name of names) assert.equal((await stat(join(folder, name))).mode & 0o077, 0, name);
      await engine.close();
    });
  });

  it('is refused to a second process, and free again when the first was killed', async () => {
    const folder = await makeFolder();
    const child = spawn(process.execPath, ['--input-type=module', '-e', holder(folder)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    for (const isShared of [false, true]) {
      const opened = driver.open({ location: folder, historySeconds: HISTORY_SECONDS, isShared, clock: new SetClock(), log: () => {} });
      await assert.rejects(opened, isUnavailable(new RegExp(`in use by process ${child.pid}`)));
    }
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
    const engine = await openIn(folder);
    assert.equal(await engine.head(), 1);
    await engine.close();
  });

  it('is refused to who reads beside a process that cannot be asked to wait: opening the file could undo what that writes', async (context) => {
    const folder = await makeFolder();
    await (await openIn(folder)).close();
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    context.after(() => child.kill('SIGKILL'));
    await once(child, 'spawn');
    const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
    // Where the file system has no sockets the process that writes has none.
    const owner: Owner = { id: 'a', pid: child.pid!, started: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]!, world: world() };
    await writeFile(join(folder, 'owner.json'), JSON.stringify(owner));
    await assert.rejects(openIn(folder), isUnavailable(/in use by process \d+/));
    await assert.rejects(driver.maintenance!.snapshot(folder), isUnavailable(/cannot be asked to wait: stop it first/));
  });

  it('is refused to a process in another container that sees the same folder, however deep it lies', { skip: NO_NAMESPACES }, async () => {
    const folder = join(await makeFolder(), 'd'.repeat(90), 'e'.repeat(90));
    await mkdir(folder, { recursive: true });
    const child = spawn('unshare', [...FIRST_PROCESS, process.execPath, '--input-type=module', '-e', holder(folder)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await assert.rejects(openIn(folder), isUnavailable(/in use by process 1:/));
    const exited = new Promise((resolve) => child.once('exit', resolve));
    // The first process of the namespace: `unshare` ends when it is gone.
    process.kill(Number(await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')), 'SIGKILL');
    await exited;
    const engine = await openIn(folder);
    assert.equal(await engine.head(), 1);
    await engine.close();
    assert.deepEqual((await readdir(folder)).filter((name) => name.startsWith('owner')), []);
  });

  it('says so when it cannot write, goes on when it can, and takes no revision for what failed', async () => {
    const folder = await makeFolder();
    const program = `
      const { driver } = await import(${JSON.stringify(new URL('./index.js', import.meta.url).href)});
      const clock = { nowMs: () => Date.now(), after: () => () => {} };
      const engine = await driver.open({ location: ${JSON.stringify(folder)}, historySeconds: 300, clock, log() {} });
      const seen = [];
      engine.follow('/', 1, { changes: (batch) => seen.push(...batch.map((change) => change.revision)), lost() {} }, new AbortController().signal);
      let done = 1;
      let failure;
      while (failure === undefined) {
        await engine.commit({ key: '/k/' + done, expect: 0, value: Buffer.alloc(20_000) }).then(({ revision }) => (done = revision), (error) => (failure = error));
      }
      const small = await engine.commit({ key: '/small', expect: 0, value: Buffer.from('x') });
      const last = await engine.get('/k/' + (done - 1));
      await engine.close();
      const inOrder = seen.every((revision, i) => revision === i + 2) && seen.length === small.revision - 1;
      console.log(JSON.stringify([failure.name, failure.code, small.revision - done, last.revision - done, inOrder]));
    `;
    // A limit on the size of files stands for a full disk.
    const limited = `trap '' XFSZ; ulimit -f 1500; exec "$0" --input-type=module -e "$1"`;
    const child = spawn('sh', ['-c', limited, process.execPath, program], { stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    await new Promise((resolve) => child.once('close', resolve));
    assert.deepEqual(JSON.parse(output.slice(output.lastIndexOf('\n[') + 1)), ['StorageFailure', 'unavailable', 1, 0, true]);
    const engine = await openIn(folder);
    assert.ok((await engine.get('/small')) !== undefined);
    await engine.close();
  });

  it('refuses a newer format and says what to do', async () => {
    const folder = await makeFolder();
    await (await openIn(folder)).close();
    const tables = openTables(folder);
    tables.meta.putSync('format', FORMAT + 1);
    await tables.root.close();
    await assert.rejects(openIn(folder), isUnavailable(/format 2.*newer program/));
  });

  it('refuses a file that is not a store', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, FILE), 'this is not a database'.repeat(1000));
    await assert.rejects(openIn(folder), (error) => error instanceof StorageFailure && error.code === 'corrupt' && error.message.includes(folder));
  });

  it('leaves nothing open when it is closed, or was only looked at, nor where it cannot be opened', { skip: process.platform === 'linux' ? false : 'there is no /proc' }, async () => {
    const [folder, noStore] = [await makeFolder(), await makeFolder()];
    await writeFile(join(noStore, FILE), 'this is not a database'.repeat(1000));
    const isCorrupt = (error: unknown): boolean => error instanceof StorageFailure && error.code === 'corrupt';
    const openFiles: number[] = [];
    const rounds = 10;
    for (let round = 0; round <= rounds; round++) {
      const engine = await openIn(folder);
      await engine.commit({ key: `/${round}`, expect: 0, value: new Uint8Array() });
      await (await driver.maintenance!.snapshot(folder)).close();
      await engine.close();
      await (await driver.maintenance!.snapshot(folder)).close();
      await assert.rejects(openIn(noStore), isCorrupt);
      await assert.rejects(driver.maintenance!.snapshot(noStore), isCorrupt);
      openFiles.push((await readdir('/proc/self/fd')).length);
    }
    // What the process itself opens once comes with the first round.
    assert.ok(openFiles.at(-1)! - openFiles[0]! < rounds, openFiles.join(' '));
  });

  it('begins anew where the power failed before anything was committed, and nowhere else', async () => {
    const made = await makeFolder();
    await (await openIn(made)).close();
    const whole = await readFile(join(made, FILE));
    const left = [Buffer.alloc(8_192), Buffer.alloc(12_288), whole.subarray(0, 4_096), whole.subarray(0, 512)];
    for (const bytes of left) {
      const folder = await makeFolder();
      for (const file of [FILE, 'gate.mdb']) await writeFile(join(folder, file), bytes);
      const engine = await openIn(folder);
      assert.equal((await engine.commit({ key: '/k', expect: 0, value: new Uint8Array() })).done, true);
      await engine.close();
    }
    for (const bytes of [Buffer.alloc(16_384), Buffer.from('not a store')]) {
      const folder = await makeFolder();
      await writeFile(join(folder, FILE), bytes);
      await assert.rejects(openIn(folder), (error) => error instanceof StorageFailure && error.code === 'corrupt');
      assert.deepEqual(await readFile(join(folder, FILE)), bytes);
    }
  });

  it('refuses keys that LMDB cannot hold', async () => {
    const engine = await openIn(await makeFolder());
    await assert.rejects(engine.commit({ key: `/${'é'.repeat(1000)}`, expect: 0, value: new Uint8Array() }), isUnavailable(/1900 bytes/));
    assert.equal(await engine.head(), 1);
    await engine.close();
  });

  it('writes to the space of forgotten values again', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    const sizes: number[] = [];
    for (let round = 0; round < 30; round++) {
      for (let i = 0; i < 5; i++) {
        await Promise.all(
          Array.from({ length: 20 }, async (_, n) => {
            const live = await engine.get(`/k/${n}`);
            await engine.commit({ key: `/k/${n}`, expect: live?.revision ?? 0, value: Buffer.alloc(5_000, round) });
          }),
        );
      }
      await engine.compact(await engine.head());
      // What is allocated behind its pages grows while time passes.
      sizes.push(spaceIn(folder).usedBytes);
    }
    await engine.close();
    // Each round writes half a megabyte.
    assert.ok(sizes.at(-1)! <= sizes[5]! + 500_000, sizes.join(' '));
  });

  it('lets a write through between the large values that it forgets', async () => {
    const engine = await openIn(await makeFolder());
    const value = Buffer.alloc(1_000_000);
    let expect = 0;
    for (let i = 0; i < 20; i++) {
      const commit = await engine.commit({ key: '/large', expect, value });
      assert.ok(commit.done);
      expect = commit.revision;
    }
    const order: string[] = [];
    const forgotten = engine.compact(expect).then(() => order.push('all is forgotten'));
    // The first of them are on their way to the disk.
    for (let turn = 0; turn < 2; turn++) await nextTurn();
    await engine.commit({ key: '/small', expect: 0, value: Buffer.from('x') }).then(() => order.push('written'));
    await forgotten;
    assert.deepEqual(order, ['written', 'all is forgotten']);
    await assert.rejects(engine.get('/large', expect - 1), (error) => error instanceof StorageFailure && error.revision === expect);
    await engine.close();
  });

  it('leaves nothing of forgotten values in its tables', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    for (let i = 0; i < 30; i++) {
      const live = await engine.get(`/k/${i % 3}`);
      await engine.commit({ key: `/k/${i % 3}`, expect: live?.revision ?? 0, value: new Uint8Array([i]) });
    }
    const gone = await engine.get('/k/2');
    await engine.commit({ key: '/k/2', expect: gone!.revision });
    await engine.compact(await engine.head());
    await engine.close();
    const { root, live, log, past, expiries } = openTables(folder);
    assert.deepEqual([live, log, past, expiries].map((table) => table.getKeysCount()), [2, 2, 0, 0]);
    await root.close();
  });
});
