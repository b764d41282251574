import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { SetClock, systemClock, type Clock } from '#base';
import { NO_OPEN_FILES, openFilesIn } from '#test-support';
import type { EngineOptions } from '../../driver.ts';
import { engineSuite, HISTORY_SECONDS } from '../../engine-suite.ts';
import { Recorder } from '../../engine-suite/test-support.ts';
import type { Engine } from '../../engine.ts';
import { EXPIRY_RETRY_MS } from '../../expiry.ts';
import { NO_MOUNTS, readsLargeChangesInPieces, refusesWritesToMovedFile, refusesWritesToReadOnlyFileSystem } from '../../opened-file-suite.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { openFile } from './binding.ts';
import { counter, makeStore, openToRead, openToWrite } from './database.ts';
import { FILE, LOG_FILE, OWNER_FILE } from './files.ts';
import { driver } from './index.ts';
import { SWEEP_RECORDS, TRIM_EVERY_MS, WRITE_AHEAD_BYTES } from './limits.ts';
import { NO_SQLITE } from './test-support.ts';

const folders: string[] = [];
const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'orch-sqlite-'));
  folders.push(folder);
  return folder;
};
const clean = async (): Promise<void> => {
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
};
const openIn = (location: string, clock: Clock = systemClock, log: EngineOptions['log'] = () => {}): Promise<Engine> =>
  driver.open({ location, historySeconds: HISTORY_SECONDS, clock, log });
const isUnavailable = (words: RegExp) => (error: unknown) => error instanceof StorageFailure && error.code === 'unavailable' && words.test(error.message);

if (NO_SQLITE === false) {
  let last = '';
  engineSuite('sqlite', {
    open: async (clock) => {
      last = await makeFolder();
      return openIn(last, clock);
    },
    reopen: (clock) => openIn(last, clock),
    clean,
  });
}

/** Overwrites the first page of a table. */
async function damage(folder: string, table: string): Promise<void> {
  const file = openToWrite(folder);
  const root = Number(file.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table)?.['rootpage']);
  const pageBytes = Number(file.prepare('PRAGMA page_size').get()?.['page_size']);
  file.close();
  const path = join(folder, FILE);
  await writeFile(path, (await readFile(path)).fill(0xa5, (root - 1) * pageBytes, root * pageBytes));
}

/** Where the system shows who locks what. */
const NO_LOCKS = existsSync('/proc/locks') ? false : 'this system does not show locks';

const SMALL_DISK = 'mount -t tmpfs -o size=12m none "$0"';
const NO_SMALL_DISK = NO_MOUNTS === false && spawnSync('unshare', ['-rm', 'sh', '-c', SMALL_DISK, tmpdir()]).status === 0 ? false : 'this machine lets nobody mount a small disk';

describe('sqlite store on a Node without SQLite', { skip: NO_SQLITE === false && 'this Node has node:sqlite' }, () => {
  it('says what it needs, and what to use instead', async () => {
    await assert.rejects(openIn(await makeFolder()), isUnavailable(/^a sqlite:\/\/ store needs Node 22\.13 .*: use lmdb:\/\/<folder>, which works on every Node$/));
    await clean();
  });
});

describe('sqlite store', { skip: NO_SQLITE }, () => {
  after(clean);

  it('leaves no thread behind where it cannot be opened, which would keep the process', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    await engine.commit({ key: '/a', expect: 0, value: new Uint8Array([1]), ttlSeconds: 60 });
    await engine.close();
    await damage(folder, 'expiries');
    const program = `
      const { driver } = await import(${JSON.stringify(new URL('./index.js', import.meta.url).href)});
      await driver.open({ location: process.argv[1], historySeconds: 300, clock: { nowMs: Date.now, after: () => () => {} }, log: () => {} }).catch(({ code }) => console.log(code));
    `;
    const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program, folder], { encoding: 'utf8', timeout: 20_000 });
    assert.deepEqual([stdout.trim(), status], ['corrupt', 0]);
  });

  it('leaves no file open where it cannot be opened, as a server or to be looked at', { skip: NO_OPEN_FILES }, async () => {
    for (const [table, open] of [['expiries', openIn], ['live', driver.maintenance!.snapshot]] as const) {
      const folder = await makeFolder();
      const engine = await openIn(folder);
      await engine.commit({ key: '/a', expect: 0, value: new Uint8Array([1]), ttlSeconds: 60 });
      await engine.close();
      await damage(folder, table);
      await assert.rejects(open(folder), (error) => error instanceof StorageFailure && error.code === 'corrupt');
      assert.deepEqual(await openFilesIn(folder), []);
    }
  });

  it('says of a damaged page that is read where it is and what to do', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    await engine.commit({ key: '/a', expect: 0, value: new Uint8Array([1]) });
    await engine.close();
    await damage(folder, 'log');
    const again = await openIn(folder);
    const isDamage = (error: unknown): boolean => error instanceof StorageFailure && error.code === 'corrupt' && /damaged .*malformed.*: restore a backup/.test(error.message) && error.message.includes(folder);
    await assert.rejects(again.get('/a'), isDamage);
    // What stands there is to be told to whoever has not expected it, and to who follows.
    await assert.rejects(again.commit({ key: '/a', expect: 0, value: new Uint8Array([2]) }), isDamage);
    const recorder = new Recorder(again, '/', 1);
    await recorder.ended();
    assert.ok(isDamage(recorder.lost), String(recorder.lost));
    await again.close();
  });

  it('where the thread that writes ends with a group in hand, says that it may be written, and answers nothing until it is opened anew', async () => {
    const folder = await makeFolder();
    const threads: Worker[] = [];
    const log: string[] = [];
    process.once('worker', (thread) => threads.push(thread));
    const engine = await openIn(folder, systemClock, (message) => log.push(message));
    const write = (key: string): ReturnType<Engine['commit']> => engine.commit({ key, expect: 0, value: new Uint8Array([1]) });
    await write('/a');
    const recorder = new Recorder(engine, '/', 1);
    // The thread waits for whoever has this lock.
    const other = openToWrite(folder);
    other.exec('BEGIN IMMEDIATE');
    const inHand = ['/b', '/c'].map((key) => assert.rejects(write(key), { code: 'unavailable', isUnconfirmed: true }));
    // The group is sent in the next turn, behind what is done at the beginning of it.
    for (let turns = 0; turns < 2; turns++) await new Promise((resolve) => setImmediate(resolve));
    const terminated = threads[0]!.terminate();
    other.close();
    await Promise.all([terminated, ...inHand]);
    const ended = /^nothing is written to the store .* or read from it any more, because the thread that writes has ended \(exit code 1\): start this server anew$/;
    for (const ask of [() => write('/d'), () => engine.head(), () => engine.get('/a')]) await assert.rejects(ask(), { code: 'unavailable', message: ended, isUnconfirmed: false });
    assert.equal(recorder.lost, undefined);
    assert.deepEqual(log.map((message) => ended.test(message)), [true]);
    await engine.close();
    const again = await openIn(folder);
    assert.equal((await again.get('/a'))?.revision, 2);
    await again.close();
  });

  it('tells who follows that changes are missing where nobody can read what they replaced, and later ones to who begins anew', async () => {
    const folder = await makeFolder();
    const value = new Uint8Array([1]);
    const first = await openIn(folder);
    for (const key of ['/a', '/b']) await first.commit({ key, expect: 0, value });
    await first.close();
    const file = openToWrite(folder);
    file.exec('DELETE FROM log WHERE revision = 2');
    file.close();
    const engine = await openIn(folder);
    const recorder = new Recorder(engine, '/', 3);
    assert.deepEqual(await engine.commit({ key: '/a', expect: 2, value }), { done: true, revision: 4 });
    await recorder.ended();
    assert.deepEqual([recorder.lost?.code, recorder.changes], ['corrupt', []]);
    const again = new Recorder(engine, '/', 3);
    await again.ended();
    assert.deepEqual([again.lost?.code, again.changes], ['corrupt', []]);
    const anew = new Recorder(engine, '/', 4);
    await engine.commit({ key: '/b', expect: 3, value });
    await anew.reached(5);
    assert.deepEqual(anew.summary().map((one) => one.split('=')[0]), ['5 /b']);
    await engine.close();
  });

  it('says once, and not every few seconds, that history cannot be forgotten because its page is damaged', async () => {
    const folder = await makeFolder();
    const clock = new SetClock();
    const log: string[] = [];
    const open = (): Promise<Engine> => openIn(folder, clock, (message, fields) => log.push(`${message}: ${String(fields?.['cause'])}`));
    const engine = await open();
    for (const expect of [0, 2]) await engine.commit({ key: '/a', expect, value: new Uint8Array([1]) });
    await engine.close();
    await damage(folder, 'past');
    const again = await open();
    clock.turn(HISTORY_SECONDS * 1000);
    for (let round = 0; round < 3; round++) {
      clock.turn(TRIM_EVERY_MS);
      // It comes after what the alarm has begun.
      await again.compact(1);
    }
    assert.equal(log.length, 1);
    assert.match(log[0]!, /^history could not be trimmed: .*is damaged .*malformed.*: restore a backup/);
    await again.close();
  });

  it('says once what to do about a damaged page, however often writes meet it and others do not', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    await engine.commit({ key: '/a', expect: 0, value: new Uint8Array([1]) });
    await engine.close();
    await damage(folder, 'past');
    const log: string[] = [];
    const again = await openIn(folder, new SetClock(), (message) => log.push(message));
    for (const key of ['/b', '/c']) {
      await assert.rejects(again.commit({ key: '/a', expect: 2, value: new Uint8Array([2]) }), { code: 'corrupt' });
      assert.ok((await again.commit({ key, expect: 0, value: new Uint8Array([1]) })).done);
    }
    assert.equal(log.length, 1);
    assert.match(log[0]!, /is damaged .*malformed.*: restore a backup/);
    await again.close();
  });

  it('tells who wants to follow that it cannot be read, and not before `follow` has returned', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    const other = openToWrite(folder);
    other.exec('DROP TABLE meta');
    other.close();
    const told: unknown[] = [];
    const lost = new Promise<StorageFailure>((resolve) => {
      engine.follow('/', 1, { changes: assert.fail, lost: resolve }, new AbortController().signal);
      told.push('returned');
    });
    void lost.then(() => told.push('lost'));
    const { code, message } = await lost;
    assert.equal(code, 'corrupt');
    assert.match(message, /damaged .*no such table.*: restore a backup/);
    assert.deepEqual(told, ['returned', 'lost']);
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

  for (const file of [FILE, LOG_FILE, OWNER_FILE]) {
    it(`takes no writes while ${file} is moved away or replaced`, async () => refusesWritesToMovedFile(driver, await makeFolder(), file));
  }

  it('tries again to delete what has expired while nothing could be written', async () => {
    const folder = await makeFolder();
    const clock = new SetClock();
    let failed = (): void => {};
    const engine = await openIn(folder, clock, () => failed());
    await engine.commit({ key: '/a', expect: 0, value: new Uint8Array([1]), ttlSeconds: 10 });
    const recorder = new Recorder(engine, '/', 2);
    await rename(join(folder, FILE), join(folder, 'away'));
    const isRefused = new Promise<void>((resolve) => (failed = resolve));
    clock.turn(10_000);
    await isRefused;
    await new Promise((resolve) => setImmediate(resolve));
    await rename(join(folder, 'away'), join(folder, FILE));
    clock.turn(EXPIRY_RETRY_MS);
    await recorder.reached(3);
    assert.deepEqual(recorder.summary().map((one) => one.split(' was')[0]), ['3 /a=-']);
    await engine.close();
  });

  it('gives large values to those who are behind a few at a time', async () => readsLargeChangesInPieces(await openIn(await makeFolder())));

  it('takes no writes while its file system is read-only, and can be closed then', { skip: NO_MOUNTS }, async () => refusesWritesToReadOnlyFileSystem(new URL('./index.js', import.meta.url), await makeFolder()));

  it('keeps the lock of SQLite on its file while it writes: another program that closes the file would take the log away', { skip: NO_LOCKS }, async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    for (let i = 0; i < 3; i++) await engine.commit({ key: `/${i}`, expect: 0, value: new Uint8Array([i]) });
    const { ino } = await stat(join(folder, FILE));
    const locks = await readFile('/proc/locks', 'utf8');
    await engine.close();
    assert.match(locks, new RegExp(`POSIX +ADVISORY +READ +${process.pid} [0-9a-f:]+:${ino} `));
  });

  it('makes a folder that is nobody else\'s to read', async () => {
    const folder = join(await makeFolder(), 'new');
    await (await openIn(folder)).close();
    assert.equal((await stat(folder)).mode & 0o077, 0);
  });

  it('makes files that are nobody else\'s to read, in a folder that others may enter, too', async () => {
    const folder = await makeFolder();
    await chmod(folder, 0o755);
    const engine = await openIn(folder);
    await engine.commit({ key: '/a', expect: 0, value: new Uint8Array([1]) });
    for (const file of [FILE, LOG_FILE, `${FILE}-shm`, OWNER_FILE]) assert.equal((await stat(join(folder, file))).mode & 0o077, 0, file);
    await engine.close();
  });

  it('is refused to a second process, and free again when the first was killed', async () => {
    const folder = await makeFolder();
    const program = `
      const { driver } = await import(${JSON.stringify(new URL('./index.js', import.meta.url).href)});
      const clock = { nowMs: () => Date.now(), after: () => () => {} };
      await driver.open({ location: ${JSON.stringify(folder)}, historySeconds: 300, clock, log() {} });
      console.log('open');
      setInterval(() => {}, 1000);
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await assert.rejects(openIn(folder), isUnavailable(/in use by another process/));
    if (NO_OPEN_FILES === false) assert.deepEqual(await openFilesIn(folder), []);
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await exited;
    const engine = await openIn(folder);
    assert.equal(await engine.head(), 1);
    await engine.close();
  });

  it('says that it is open where it is open, and does not wait for what is being written', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    const writing = openToWrite(folder);
    writing.exec('BEGIN IMMEDIATE');
    await assert.rejects(openIn(folder), isUnavailable(/already open/));
    writing.close();
    await engine.close();
  });

  it('opens while another program reads the file again and again, and locks it for a moment each time', async () => {
    const folder = await makeFolder();
    await (await openIn(folder)).close();
    const program = `
      const { driver } = await import(${JSON.stringify(new URL('./index.js', import.meta.url).href)});
      console.log('reading');
      for (;;) await (await driver.maintenance.snapshot(${JSON.stringify(folder)})).close();
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    for (let round = 0; round < 50; round++) makeStore(folder);
    assert.equal(child.exitCode, null);
    child.kill('SIGKILL');
  });

  it('leaves the database of another program as it is', async () => {
    for (const table of ['things', 'meta']) {
      const folder = await makeFolder();
      const path = join(folder, FILE);
      const file = openFile(path);
      file.exec(`CREATE TABLE ${table} (a)`);
      file.close();
      const before = await readFile(path);
      await assert.rejects(openIn(folder), (error) => error instanceof StorageFailure && error.code === 'corrupt' && /not a store of this program/.test(error.message));
      assert.deepEqual(await readFile(path), before);
    }
  });

  it('says so when it cannot write, reads on, writes again when it can, and takes no revision for what failed', async () => {
    const folder = await makeFolder();
    const program = `
      const { driver } = await import(${JSON.stringify(new URL('./index.js', import.meta.url).href)});
      const clock = { nowMs: () => Date.now(), after: () => () => {} };
      const engine = await driver.open({ location: ${JSON.stringify(folder)}, historySeconds: 300, clock, log() {} });
      let done = 1;
      let failure;
      while (failure === undefined) {
        await engine.commit({ key: '/k/' + done, expect: 0, value: Buffer.alloc(20_000) }).then(({ revision }) => (done = revision), (error) => (failure = error));
      }
      const head = await engine.head();
      const last = await engine.get('/k/' + (done - 1));
      console.log(JSON.stringify([failure.name, failure.code, head - done, last.revision - done, failure.message]));
      process.exit();
    `;
    // A limit on the size of files stands for a full disk.
    const limited = `trap '' XFSZ; ulimit -f 1500; exec "$0" --input-type=module -e "$1"`;
    const child = spawn('sh', ['-c', limited, process.execPath, program], { stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    await new Promise((resolve) => child.once('close', resolve));
    const [name, code, ahead, lastAhead, message] = JSON.parse(output) as [string, string, number, number, string];
    assert.deepEqual([name, code, ahead, lastAhead], ['StorageFailure', 'unavailable', 0, 0], message);
    const engine = await openIn(folder);
    const head = await engine.head();
    assert.deepEqual(await engine.commit({ key: '/small', expect: 0, value: new Uint8Array([1]) }), { done: true, revision: head + 1 });
    await engine.close();
  });

  it('writes again once the file takes what it did not take, and takes no revision for that', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    const other = openToWrite(folder);
    other.exec(`INSERT INTO log VALUES (2, '/x', 0, 0, 0, NULL)`);
    const write = { key: '/a', expect: 0, value: new Uint8Array([1]) };
    for (let i = 0; i < 2; i++) await assert.rejects(engine.commit(write), isUnavailable(/could not write: UNIQUE constraint failed: log\.revision$/));
    other.exec('DELETE FROM log');
    other.close();
    assert.deepEqual(await engine.commit(write), { done: true, revision: 2 });
    await engine.close();
  });

  it('opens where an earlier program stored a time to live that JavaScript cannot count to', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    const value = new Uint8Array([1]);
    for (const key of ['/a', '/b', '/c']) await engine.commit({ key, expect: 0, value, ttlSeconds: 60 });
    await engine.close();
    const file = openToWrite(folder);
    file.exec('UPDATE live SET expires_ms = 36000000000000000; UPDATE expiries SET at_ms = 36000000000000000');
    file.close();
    const again = await openIn(folder);
    assert.deepEqual(await again.commit({ key: '/a', expect: 2, value }), { done: true, revision: 5 });
    assert.deepEqual(await again.commit({ key: '/b', expect: 3 }), { done: true, revision: 6 });
    await again.close();
    const snapshot = await driver.maintenance!.snapshot(folder);
    assert.deepEqual([...snapshot.check()].filter((problem) => problem !== undefined), []);
    assert.deepEqual([...snapshot.entries()].map(({ key, expiresAtMs }) => [key, expiresAtMs]), [['/a', undefined], ['/c', Number.MAX_SAFE_INTEGER]]);
    await snapshot.close();
  });

  it('takes such a time from a backup of another engine', async () => {
    const folder = await makeFolder();
    const entries = (async function* () {
      yield { key: '/a', value: new Uint8Array([1]), revision: 7, expiresAtMs: 1e20 };
    })();
    await driver.maintenance!.load(folder, { revision: 9, entries });
    const engine = await openIn(folder);
    assert.equal((await engine.get('/a'))?.revision, 7);
    await engine.close();
  });

  it('deletes and forgets on a full disk, and then writes to what the file can use again', { skip: NO_SMALL_DISK }, async () => {
    const program = `
      import { appendFileSync, rmSync } from 'node:fs';
      const { driver } = await import(${JSON.stringify(new URL('./index.js', import.meta.url).href)});
      const disk = process.argv[1];
      const said = [];
      const clock = { nowMs: () => Date.now(), after: () => () => {} };
      const open = () => driver.open({ location: disk + '/store', historySeconds: 300, clock, log: (message) => said.push(message) });
      const code = (error) => error.code;
      let engine = await open();
      const kept = new Map();
      const put = (key) => engine.commit({ key, expect: 0, value: Buffer.alloc(30_000, 1) }).then(({ revision }) => void kept.set(key, revision), code);
      const drop = (key) => engine.commit({ key, expect: kept.get(key) }).then(() => void kept.delete(key), code);
      const fill = async (prefix) => {
        for (let i = 0; ; i++) {
          const failure = await put(prefix + i);
          if (failure !== undefined) return { failure, count: i };
        }
      };
      const full = await fill('/a/');
      const again = await put('/b');
      const drops = new Set();
      for (const key of [...kept.keys()].slice(0, 100)) drops.add(await drop(key));
      const forgetting = await engine.compact(await engine.head()).catch(code);
      const refilled = await fill('/c/');
      // Others take all that is left.
      try {
        for (;;) appendFileSync(disk + '/ballast', Buffer.alloc(4096, 1));
      } catch {}
      const withoutAny = [await put('/d')];
      for (const key of [...kept.keys()].slice(0, 20)) withoutAny.push(await drop(key));
      withoutAny.push(await engine.compact(await engine.head()).catch(code));
      const reads = (await engine.scan({ start: '/', end: '0' })).entries.length - kept.size;
      rmSync(disk + '/ballast');
      const afterwards = await put('/e');
      await engine.close();
      engine = await open();
      const { entries } = await engine.scan({ start: '/', end: '0' });
      const lost = [...kept].filter(([key, revision]) => !entries.some((one) => one.key === key && one.revision === revision));
      await engine.close();
      const snapshot = await driver.maintenance.snapshot(disk + '/store');
      const problems = [...snapshot.check()].filter((problem) => problem !== undefined);
      await snapshot.close();
      console.log(JSON.stringify({ full, again, drops: [...drops], forgetting, refilled, withoutAny: [...new Set(withoutAny)], reads, afterwards, lost, extra: entries.length - kept.size, problems, said }));
    `;
    const args = ['-rm', 'sh', '-c', `${SMALL_DISK} && exec "$1" --input-type=module -e "$2" "$0"`, await makeFolder(), process.execPath, program];
    const output = execFileSync('unshare', args, { encoding: 'utf8' });
    const { full, refilled, said, ...seen } = JSON.parse(output.slice(output.lastIndexOf('\n{') + 1)) as Record<string, unknown> & Record<'full' | 'refilled', { readonly failure: string; readonly count: number }>;
    assert.ok(full.count > 120 && full.failure === 'full', JSON.stringify(full));
    assert.ok(refilled.count > 90 && refilled.failure === 'full', JSON.stringify(refilled));
    assert.deepEqual(seen, { again: 'full', drops: [null], withoutAny: ['full', null], reads: 0, lost: [], extra: 0, problems: [] });
    assert.match(String(said), /has no space left \(.*\): make room on its disk or delete objects.*can be written again/);
  });

  it('refuses a newer format and says what to do', async () => {
    const folder = await makeFolder();
    await (await openIn(folder)).close();
    const file = openToWrite(folder);
    file.exec(`UPDATE meta SET value = value + 1 WHERE name = 'format'`);
    file.close();
    await assert.rejects(openIn(folder), isUnavailable(/has format 2, .* up to 1: start the newer program/));
  });

  it('refuses a file that is not a store', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, FILE), 'this is not a database'.repeat(1000));
    await assert.rejects(openIn(folder), (error) => error instanceof StorageFailure && error.code === 'corrupt' && error.message.includes(folder));
  });

  it('does not begin anew where its file is empty or gone and its log is not', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    await engine.commit({ key: '/a', expect: 0, value: new Uint8Array([1]) });
    const log = await readFile(join(folder, LOG_FILE));
    await engine.close();
    await writeFile(join(folder, LOG_FILE), log);
    for (const [lose, what] of [
      [async () => truncate(join(folder, FILE)), 'empty'],
      [async () => rm(join(folder, FILE)), 'missing'],
    ] as const) {
      await lose();
      await assert.rejects(openIn(folder), (error) => error instanceof StorageFailure && error.code === 'corrupt' && error.message.includes(`is ${what}, but its newest writes are in`));
      assert.deepEqual(await readFile(join(folder, LOG_FILE)), log);
    }
    await rm(join(folder, LOG_FILE));
    const anew = await openIn(folder);
    assert.equal(await anew.head(), 1);
    await anew.close();
  });

  it('begins anew where a first start was cut off', async () => {
    const folder = await makeFolder();
    for (const file of [FILE, OWNER_FILE]) await writeFile(join(folder, file), '');
    const engine = await openIn(folder);
    assert.deepEqual(await engine.commit({ key: '/a', expect: 0, value: new Uint8Array([1]) }), { done: true, revision: 2 });
    await engine.close();
  });

  it('refuses keys that are too long', async () => {
    const engine = await openIn(await makeFolder());
    await assert.rejects(engine.commit({ key: `/${'é'.repeat(1000)}`, expect: 0, value: new Uint8Array() }), isUnavailable(/1900 bytes/));
    await engine.close();
  });

  it('gives back what its log has grown by while somebody read for long', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    const value = Buffer.alloc(1_000_000);
    const logBytes = async (): Promise<number> => (await stat(join(folder, LOG_FILE))).size;
    await engine.commit({ key: '/a', expect: 0, value });
    const snapshot = await driver.maintenance!.snapshot(folder);
    for (let i = 0; (await logBytes()) < 2 * WRITE_AHEAD_BYTES; i++) await engine.commit({ key: `/${i}`, expect: 0, value });
    await snapshot.close();
    // The first takes what is in the log to the file, and the next begins the log anew.
    for (const key of ['/b', '/c', '/d']) await engine.commit({ key, expect: 0, value });
    const bytes = await logBytes();
    assert.ok(bytes <= WRITE_AHEAD_BYTES, `${bytes} bytes`);
    await engine.close();
  });

  it('is closed between two steps of forgetting, however much there is to forget', async () => {
    const folder = await makeFolder();
    const clock = new SetClock();
    const engine = await openIn(folder, clock);
    const value = new Uint8Array([1]);
    await Promise.all(Array.from({ length: 3 * SWEEP_RECORDS }, (_, i) => engine.commit({ key: `/${i}`, expect: 0, value })));
    clock.turn(HISTORY_SECONDS * 1000);
    const compacting = engine.compact(await engine.head()).then(() => 'compacted', String);
    await engine.close();
    assert.equal(await compacting, 'StorageFailure: the store was closed');
    const file = openToRead(folder);
    const [compacted, head] = [counter(file, 'compacted')(), counter(file, 'head')()];
    file.close();
    assert.equal(head, 1 + 3 * SWEEP_RECORDS);
    assert.ok(compacted < head, 'all was forgotten first');
  });

  it('gives space back when history is forgotten', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    for (let round = 0; round < 300; round++) {
      const live = await engine.get('/a');
      await engine.commit({ key: '/a', expect: live?.revision ?? 0, value: Buffer.alloc(20_000, round) });
    }
    await engine.compact(await engine.head());
    await engine.close();
    const { size } = await stat(join(folder, FILE));
    assert.ok(size < 1_000_000, `${size} bytes are left of 6 MB`);
  });
});
