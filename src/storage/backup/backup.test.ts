import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, readdir, rm, stat, symlink, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, describe, it, mock } from 'node:test';
import { countTurns, StillClock } from '#base';
import { MAX_RESTORED_REVISION } from '../damage.ts';
import type { KeptEntry, Snapshot } from '../driver.ts';
import type { Engine } from '../engine.ts';
import { driverOf, openEngine } from '../open.ts';
import { StorageFailure } from '../storage-failure.ts';
import { writeBackup } from './backup-file.ts';
import { encodeEntry, frame } from './frames.ts';
import { backUp, BUMP, checkBackup, checkStore, restore, type CheckResult, type Progress } from './maintenance.ts';
import { unfinishedPath } from './unfinished.ts';
import { NO_MOUNTS } from '../opened-file-suite.ts';
import { NO_SQLITE } from '../engines/sqlite/test-support.ts';

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));
const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'orch-backup-'));
  folders.push(folder);
  return folder;
};
const quiet = (): void => {};
const fails = (code: string, words: RegExp) => (error: unknown) => error instanceof StorageFailure && error.code === code && words.test(error.message);

/** Objects, one with a time to live, one removed, one that is not ours to look into. */
async function fill(engine: Engine): Promise<void> {
  for (let n = 0; n < 40; n++) {
    const key = `/registry/things/${n % 15}`;
    const expect = (await engine.get(key))?.revision ?? 0;
    await engine.commit({ key, expect, value: Buffer.from(JSON.stringify({ metadata: { name: `${n % 15}` }, n })) });
  }
  await engine.commit({ key: '/registry/things/3', expect: (await engine.get('/registry/things/3'))!.revision });
  await engine.commit({ key: '/registry/leases/é', expect: 0, value: Buffer.from([0, 255, 7]), ttlSeconds: 60 });
  await engine.commit({ key: '/registry/empty', expect: 0, value: new Uint8Array() });
}

const contents = async (engine: Engine): Promise<string[]> =>
  (await engine.scan({ start: '/', end: '0' })).entries.map(({ key, value, revision }) => `${revision} ${key} ${Buffer.from(value).toString('base64')}`);

/** What `work` has the system put on the disk for good, in that order, and whether there was something at `path` then. */
async function syncedBy(work: () => Promise<unknown>, path = ''): Promise<readonly { readonly ino: number; readonly size: number; readonly isNamed: boolean }[]> {
  const some = await open(tmpdir());
  const prototype = Object.getPrototypeOf(some) as FileHandle;
  await some.close();
  const { sync } = prototype;
  const synced: { ino: number; size: number; isNamed: boolean }[] = [];
  prototype.sync = async function (this: FileHandle) {
    await sync.call(this);
    // The disk takes its time: who does not wait for it is far ahead then.
    for (let n = 0; n < 50; n++) await this.stat();
    const { ino, size } = await this.stat();
    synced.push({ ino, size, isNamed: existsSync(path) });
  };
  try {
    await work();
  } finally {
    prototype.sync = sync;
  }
  return synced;
}

for (const scheme of ['lmdb', 'sqlite']) {
  describe(`backup of ${scheme}`, { skip: scheme === 'sqlite' && NO_SQLITE }, () => {
    it('shows one moment of a store that is being written to, and comes back with its revisions and times to live', async () => {
      const folder = await makeFolder();
      const clock = new StillClock();
      const engine = await openEngine(`${scheme}://${folder}/store`, { clock });
      await fill(engine);
      const before = await contents(engine);
      const head = await engine.head();
      const made = backUp(`${scheme}://${folder}/store`, folder, clock.nowMs(), quiet);
      const { path, revision, count } = await made;
      assert.deepEqual([path, revision, count], [join(folder, `store-${head}.backup`), head, before.length]);
      await engine.commit({ key: '/registry/later', expect: 0, value: Buffer.from('x') });
      assert.deepEqual(await checkStore(`${scheme}://${folder}/store`, quiet), { revision: head + 1, count: count + 1, problems: [], problemCount: 0 });
      await engine.close();
      assert.deepEqual(await checkBackup(path, quiet), { revision: head, count, problems: [], problemCount: 0 });
      for (const target of ['lmdb', 'sqlite']) {
        if (target === 'sqlite' && NO_SQLITE !== false) continue;
        const url = `${target}://${folder}/deep/${target}`;
        assert.deepEqual(await restore(path, url, BUMP, quiet), { path: `${folder}/deep/${target}`, revision: head + BUMP, count });
        assert.equal((await checkStore(url, quiet)).problemCount, 0);
        const clockThere = new StillClock();
        const again = await openEngine(url, { clock: clockThere });
        assert.deepEqual(await contents(again), before);
        assert.equal(await again.head(), head + BUMP);
        await assert.rejects(again.get('/registry/empty', head), fails('compacted', /no longer kept/));
        const commit = await again.commit({ key: '/registry/empty', expect: (await again.get('/registry/empty'))!.revision });
        assert.deepEqual(commit, { done: true, revision: head + BUMP + 1 });
        clockThere.turn(59_999);
        assert.ok((await again.get('/registry/leases/é')) !== undefined);
        const stop = new AbortController();
        const gone = new Promise<void>((resolve) =>
          again.follow('/registry/leases/', head + BUMP + 1, { changes: (batch) => batch.length > 0 && resolve(), lost: assert.fail }, stop.signal),
        );
        clockThere.turn(1);
        await gone;
        stop.abort();
        await again.close();
      }
    });

    it('comes back with keys of every length that can be read and written there, and not at all with a longer one', async () => {
      const folder = await makeFolder();
      for (const expiresAtMs of [undefined, 60_000]) {
        for (const [bytes, isKept] of [[1_900, true], [1_901, false], [1_978, false], [1_979, false], [5_000, false]] as const) {
          const key = `/${'é'.repeat(bytes / 4)}`.padEnd(bytes - Math.floor(bytes / 4), 'x');
          const path = join(folder, `${bytes}-${expiresAtMs}.backup`);
          const [place, url] = [join(folder, `${bytes}-${expiresAtMs}`), `${scheme}://${folder}/${bytes}-${expiresAtMs}`];
          await writeBackup(path, `${path}.partial`, { revision: 5, count: 1, madeAtMs: 0 }, [{ key, revision: 3, value: Buffer.from('x'), ...(expiresAtMs === undefined ? {} : { expiresAtMs }) }]);
          if (!isKept) {
            for (const read of [() => checkBackup(path, quiet), () => restore(path, url, 0, quiet)]) {
              await assert.rejects(read, fails('corrupt', /is damaged: a key may have 1900 bytes, this one has more: \/éé/));
            }
            assert.equal(existsSync(place), false);
            continue;
          }
          await restore(path, url, 0, quiet);
          const engine = await openEngine(url, { clock: new StillClock() });
          assert.equal((await engine.get(key))?.revision, 3);
          assert.deepEqual(await engine.commit({ key, expect: 3, value: Buffer.from('y') }), { done: true, revision: 6 });
          await engine.close();
        }
      }
    });

    it('in which a revision stands twice, wherever that is, is refused and does not become a store', async () => {
      const folder = await makeFolder();
      for (const [count, first, second] of [[2, 0, 1], [3, 0, 2], [1_025, 1_023, 1_024], [3_000, 5, 2_500]] as const) {
        const path = join(folder, `${count}.backup`);
        const revisionOf = (at: number): number => 3_001 - (at === second ? first : at);
        const entries = Array.from({ length: count }, (_, at) => ({ key: `/k/${10_000 + at}`, revision: revisionOf(at), value: Buffer.from('x') }));
        await writeBackup(path, `${path}.partial`, { revision: 3_001, count, madeAtMs: 0 }, entries);
        for (const read of [() => checkBackup(path, quiet), () => restore(path, `${scheme}://${folder}/new`, 0, quiet)]) {
          await assert.rejects(read, fails('corrupt', new RegExp(`is damaged: two entries have revision ${3_001 - first}, which is that of one alone`)));
        }
        assert.equal(existsSync(join(folder, 'new')), false);
      }
    });

    it('of a revision that no store reaches is refused, and so is a store at one, which could soon not be written to', async () => {
      const folder = await makeFolder();
      const [path, url] = [join(folder, 'a.backup'), `${scheme}://${folder}/new`];
      const madeOf = async (revision: number): Promise<void> => {
        await rm(path, { force: true });
        await writeBackup(path, `${path}.partial`, { revision, count: 1, madeAtMs: 0 }, [{ key: '/a', revision: 3, value: Buffer.from('x') }]);
      };
      for (const revision of [MAX_RESTORED_REVISION + 1, Number.MAX_SAFE_INTEGER]) {
        await madeOf(revision);
        for (const read of [() => checkBackup(path, quiet), () => restore(path, url, 0, quiet)]) {
          await assert.rejects(read, fails('corrupt', new RegExp(`a\\.backup is damaged: it is of revision ${revision}, and no store comes that far`)));
        }
      }
      await madeOf(MAX_RESTORED_REVISION - BUMP + 1);
      await assert.rejects(restore(path, url, BUMP, quiet), fails('unavailable', new RegExp(`would go on from revision ${MAX_RESTORED_REVISION + 1}, and none comes that far: let revisions jump ahead less`)));
      assert.deepEqual(await readdir(folder), ['a.backup']);
      await madeOf(MAX_RESTORED_REVISION - BUMP);
      await restore(path, url, BUMP, quiet);
      const engine = await openEngine(url);
      assert.deepEqual(await engine.commit({ key: '/a', expect: 3, value: Buffer.from('y') }), { done: true, revision: MAX_RESTORED_REVISION + 1 });
      await engine.close();
      await (await openEngine(url)).close();
      for (const [at, revision] of [2 * MAX_RESTORED_REVISION + 1, 2 ** 60].entries()) {
        const damaged = `${scheme}://${folder}/${at}`;
        await driverOf(url).driver.maintenance!.load(join(folder, `${at}`), { revision, entries: (async function* () {})() });
        for (const use of [() => openEngine(damaged), () => checkStore(damaged, quiet), () => backUp(damaged, folder, 0, quiet)]) {
          await assert.rejects(use, fails('corrupt', /is damaged: it is at revision \d+, and no store comes that far: restore a backup or give another folder/));
        }
      }
    });

    it('comes back whole however many entries it has', async () => {
      const folder = await makeFolder();
      for (const count of [511, 512, 513, 1_025]) {
        const path = join(folder, `${count}.backup`);
        const entries = Array.from({ length: count }, (_, i) => ({ key: `/k/${10_000 + i}`, revision: count + 1 - i, value: Buffer.from(`${i}`) }));
        await writeBackup(path, `${path}.partial`, { revision: count + 1, count, madeAtMs: 0 }, entries);
        const url = `${scheme}://${folder}/${count}`;
        await restore(path, url, 0, quiet);
        assert.equal((await checkStore(url, quiet)).problemCount, 0);
        const engine = await openEngine(url);
        assert.deepEqual(await contents(engine), entries.map(({ key, revision, value }) => `${revision} ${key} ${value.toString('base64')}`));
        await engine.close();
      }
    });

    it('writes over nothing', async () => {
      const folder = await makeFolder();
      const url = `${scheme}://${folder}/store`;
      await (await openEngine(url)).close();
      const file = join(folder, 'a.backup');
      await backUp(url, file, 0, quiet);
      await assert.rejects(backUp(url, file, 0, quiet), fails('unavailable', /is there already/));
      await assert.rejects(restore(file, url, 0, quiet), fails('unavailable', /is not empty/));
      await mkdir(join(folder, 'empty'));
      await restore(file, `${scheme}://${folder}/empty`, 0, quiet);
      await assert.rejects(restore(join(folder, 'none'), `${scheme}://${folder}/new`, 0, quiet), fails('unavailable', /cannot be read: ENOENT/));
      await assert.rejects(backUp(`${scheme}://${folder}/none`, file, 0, quiet), fails('unavailable', /there is no store/));
      await assert.rejects(backUp(url, join(folder, 'no/such/folder'), 0, quiet), fails('unavailable', /there is no folder \S*\/no\/such: make it first$/));
      await assert.rejects(backUp(url, `${folder}/none/`, 0, quiet), fails('unavailable', /there is no folder \S*\/none\/: make it first, or name a file without the slash at the end$/));
      await symlink(join(folder, 'away'), join(folder, 'link'));
      await assert.rejects(backUp(url, join(folder, 'link'), 0, quiet), fails('unavailable', /is there already/));
      assert.deepEqual((await readdir(folder)).sort(), ['a.backup', 'empty', 'link', 'store']);
    });

    it('leaves the store free, whether it has come to its end or not', async () => {
      const folder = await makeFolder();
      const url = `${scheme}://${folder}/store`;
      const openAgain = async (): Promise<void> => (await openEngine(url)).close();
      await openAgain();
      const file = join(folder, 'a.backup');
      await backUp(url, file, 0, quiet);
      await openAgain();
      await assert.rejects(backUp(url, file, 0, quiet), fails('unavailable', /is there already/));
      await openAgain();
      await checkStore(url, quiet);
      await openAgain();
    });
  });
}

describe('a backup', () => {
  it('that lost or changed a single byte is refused, and leaves no store behind', async () => {
    const folder = await makeFolder();
    const engine = await openEngine(`lmdb://${folder}/store`);
    await fill(engine);
    await engine.close();
    const { path } = await backUp(`lmdb://${folder}/store`, folder, 0, quiet);
    const whole = await readFile(path);
    const broken = join(folder, 'broken');
    const step = 17;
    for (let at = 0; at < whole.length; at += step) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 1 << (at % 8);
      for (const bytes of [changed, whole.subarray(0, at), Buffer.concat([whole, whole.subarray(0, at + 1)])]) {
        await writeFile(broken, bytes);
        await assert.rejects(checkBackup(broken, quiet), fails('corrupt', /is damaged/), `byte ${at}`);
      }
    }
    await assert.rejects(restore(broken, `lmdb://${folder}/new`, 0, quiet), fails('corrupt', /is damaged/));
    assert.deepEqual((await readdir(folder)).filter((name) => name.startsWith('new')), []);
  });

  it('that is stopped leaves nothing, nor does a store that is made of one', async () => {
    const folder = await makeFolder();
    const engine = await openEngine(`lmdb://${folder}/store`);
    await fill(engine);
    await engine.close();
    const stopped = AbortSignal.abort(new Error('stopped'));
    await assert.rejects(backUp(`lmdb://${folder}/store`, join(folder, 'a.backup'), 0, quiet, stopped), /stopped/);
    await backUp(`lmdb://${folder}/store`, join(folder, 'b.backup'), 0, quiet);
    for (const place of ['new', 'deep/er/new']) await assert.rejects(restore(join(folder, 'b.backup'), `lmdb://${folder}/${place}`, 0, quiet, stopped), /stopped/);
    assert.deepEqual((await readdir(folder)).sort(), ['b.backup', 'store']);
  });

  it('tells how far it is, as does a store that is made of one, and either leaves nothing where it is stopped in the middle', async () => {
    const folder = await makeFolder();
    const [path, url] = [join(folder, 'a.backup'), `lmdb://${folder}/store`];
    const entries = Array.from({ length: 2_100 }, (_, n) => ({ key: `/${10_000 + n}`, revision: n + 2, value: Buffer.from('x') }));
    await writeBackup(path, `${path}.partial`, { revision: 3_000, count: entries.length, madeAtMs: 0 }, entries);
    const made = [(progress: Progress, stop?: AbortSignal) => restore(path, url, 0, progress, stop), (progress: Progress, stop?: AbortSignal) => backUp(url, join(folder, 'b.backup'), 0, progress, stop)];
    for (const make of made) {
      const before = await readdir(folder);
      const stop = new AbortController();
      await assert.rejects(make(() => stop.abort(new Error('stopped')), stop.signal), /stopped/);
      assert.deepEqual(await readdir(folder), before);
      const told: (readonly [number, number])[] = [];
      await make((done, total) => void told.push([done, total]));
      assert.deepEqual(told, [[1_024, 2_100], [2_048, 2_100]]);
    }
  });

  it('takes away what processes that are gone have left of theirs, and nothing else', async () => {
    const folder = await makeFolder();
    const engine = await openEngine(`lmdb://${folder}/store`);
    await fill(engine);
    await engine.close();
    const { pid: gone } = spawnSync('true');
    const nameOf = async (place: string, making: string, pid: number): Promise<string> => basename(await unfinishedPath(join(folder, place), making)).replace(/\d+$/, `${pid}`);
    const kept = [await nameOf('a.backup', 'partial', process.ppid), await nameOf('b.backup', 'partial', gone), 'a.backup.partial-of-mine', await nameOf('new', 'restoring', process.ppid), 'store'];
    const left = [await nameOf('a.backup', 'partial', gone), await nameOf('a.backup', 'partial', process.pid)];
    for (const name of [...kept, ...left]) if (name !== 'store') await writeFile(join(folder, name), '');
    // As rows of another backup, which an earlier process of this number did not come to the end of.
    const before = await openEngine(`lmdb://${await unfinishedPath(join(folder, 'new'), 'restoring')}`);
    await before.commit({ key: '/registry/of/another', expect: 0, value: Buffer.from('{}') });
    await before.close();
    await mkdir(join(folder, await nameOf('new', 'restoring', gone)));
    const { count } = await backUp(`lmdb://${folder}/store`, join(folder, 'a.backup'), 0, quiet);
    await restore(join(folder, 'a.backup'), `lmdb://${folder}/new`, 0, quiet);
    assert.equal((await checkStore(`lmdb://${folder}/new`, quiet)).count, count);
    assert.deepEqual((await readdir(folder)).sort(), [...kept, 'a.backup', 'new'].sort());
  });

  it('that goes into a folder is there before it is complete, on its disk, under one name for all of them: what was left of one is taken away', async () => {
    const folder = await makeFolder();
    await (await openEngine(`lmdb://${folder}/store`)).close();
    const { pid: gone } = spawnSync('true');
    await mkdir(join(folder, 'backups'));
    const left = (await unfinishedPath(join(folder, 'backups', 'store.backup'), 'partial')).replace(/\d+$/, `${gone}`);
    await writeFile(left, '');
    await backUp(`lmdb://${folder}/store`, join(folder, 'backups'), 0, quiet);
    assert.deepEqual([await readdir(join(folder, 'backups')), (await readdir(folder)).sort()], [['store-1.backup'], ['backups', 'store']]);
  });

  it('whose entries are not in the order of their keys is refused', async () => {
    const folder = await makeFolder();
    const entry = (key: string, revision: number): KeptEntry => ({ key, revision, value: Buffer.from('x') });
    for (const keys of [['/b', '/a'], ['/a', '/a'], ['/\u{10000}', '/\uffff']]) {
      const path = join(folder, `${keys.join('').replaceAll('/', '-')}.backup`);
      await writeBackup(path, `${path}.partial`, { revision: 2, count: 2, madeAtMs: 0 }, keys.map((key, at) => entry(key, at + 1)));
      await assert.rejects(checkBackup(path, quiet), fails('corrupt', /is damaged: .* stands behind /));
    }
    const path = join(folder, 'good');
    await writeBackup(path, `${path}.partial`, { revision: 2, count: 2, madeAtMs: 0 }, [entry('/\uffff', 2), entry('/\u{10000}', 1)]);
    assert.equal((await checkBackup(path, quiet)).count, 2);
  });

  it('that does not say what it holds, or of which revision an entry is, or when it expires, is refused', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'a.backup');
    const write = (header: string, ...entries: readonly KeptEntry[]): Promise<void> =>
      writeFile(path, Buffer.concat([Buffer.from('store backup 1\n'), ...[Buffer.from(header), ...entries.map(encodeEntry)].map(frame)]));
    const headers = ['', '{', 'null', '7', '[]', '{"count":0}', '{"revision":2}', '{"revision":"2","count":0}', '{"revision":0,"count":0}', '{"revision":2.5,"count":0}', '{"revision":1e300,"count":0}'];
    for (const header of headers) {
      await write(header);
      await assert.rejects(checkBackup(path, quiet), fails('corrupt', /a\.backup is damaged: it does not say what it holds/), header);
    }
    await writeFile(path, 'store backup 1\n');
    await assert.rejects(checkBackup(path, quiet), fails('corrupt', /a\.backup is damaged: it is empty/));
    for (const revision of [0, -1, 1.5, NaN, Infinity]) {
      await write('{"revision":9,"count":1}', { key: '/a', revision, value: Buffer.from('x') });
      await assert.rejects(restore(path, `lmdb://${folder}/new`, 0, quiet), fails('corrupt', /is damaged: \/a has revision \S+, which is none/), `${revision}`);
    }
    for (const expiresAtMs of [-1, NaN, -Infinity]) {
      await write('{"revision":9,"count":1}', { key: '/a', revision: 9, expiresAtMs, value: Buffer.from('x') });
      await assert.rejects(restore(path, `lmdb://${folder}/new`, 0, quiet), fails('corrupt', /is damaged: \/a expires at \S+, which is no time/), `${expiresAtMs}`);
    }
    await write('{"revision":9,"count":1}', { key: '/a', revision: 10, value: Buffer.from('x') });
    await assert.rejects(restore(path, `lmdb://${folder}/new`, 0, quiet), fails('corrupt', /is damaged: \/a has revision 10, after the newest, 9/));
    assert.deepEqual(await readdir(folder), ['a.backup']);
  });

  it('becomes a store whose files are in its folder, and this in its own, before anybody is told', async () => {
    const folder = await makeFolder();
    await (await openEngine(`lmdb://${folder}/store`)).close();
    const { path } = await backUp(`lmdb://${folder}/store`, folder, 0, quiet);
    const synced = await syncedBy(() => restore(path, `lmdb://${folder}/new`, 0, quiet));
    const [inner, outer] = await Promise.all([stat(join(folder, 'new')), stat(folder)]);
    assert.deepEqual(synced.map(({ ino }) => ino), [inner.ino, outer.ino]);
  });

  it('is on the disk as a whole before it gets its name, and this is there before anybody is told', async () => {
    const folder = await makeFolder();
    await (await openEngine(`lmdb://${folder}/store`)).close();
    const path = join(folder, 'a.backup');
    const synced = await syncedBy(() => backUp(`lmdb://${folder}/store`, path, 0, quiet), path);
    const [file, outer] = await Promise.all([stat(path), stat(folder)]);
    assert.deepEqual(synced.map(({ ino, isNamed }) => [ino, isNamed]), [[file.ino, false], [outer.ino, true]]);
    assert.equal(synced[0]?.size, file.size);
  });

  it('that has no room on the disk of its new store is refused before that is full, and leaves nothing there', { skip: NO_MOUNTS }, async () => {
    const folder = await makeFolder();
    const path = join(folder, 'a.backup');
    const entries = Array.from({ length: 10 }, (_, i) => ({ key: `/${i}`, revision: i + 2, value: Buffer.alloc(1024 * 1024) }));
    await writeBackup(path, `${path}.partial`, { revision: 20, count: entries.length, madeAtMs: 0 }, entries);
    await mkdir(join(folder, 'disk'));
    const program = `
      const { restore } = await import(${JSON.stringify(new URL('./maintenance.js', import.meta.url).href)});
      const [disk, backup] = process.argv.slice(1);
      await restore(backup, 'lmdb://' + disk + '/new', 0, () => {}).catch(({ code, message }) => console.log(code, message));
      console.log((await import('node:fs')).readdirSync(disk));
    `;
    const mounted = `mount -t tmpfs -o size=8m none "$0" && exec "$1" --input-type=module -e "$2" "$0" "$3"`;
    const { stdout } = spawnSync('unshare', ['-rm', 'sh', '-c', mounted, join(folder, 'disk'), process.execPath, program, path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    assert.match(stdout, /^full the disk of \S+ has no room for the store: make some, or give a folder on another one\n\[\]\n$/);
  });

  it('is not made of stores that others keep', async () => {
    for (const [url, store] of [['memory://', 'a memory store'], ['etcd://localhost:1', 'an etcd store']] as const) {
      await assert.rejects(checkStore(url, quiet), fails('unavailable', new RegExp(`nothing to check in ${store}:`)));
    }
  });

  it('is neither made of a store without a folder nor becomes one: that is not the folder in which the program runs', async () => {
    const folder = await makeFolder();
    for (const url of ['lmdb://', ...(NO_SQLITE === false ? ['sqlite://'] : [])]) {
      for (const ask of [() => backUp(url, folder, 0, quiet), () => restore(join(folder, 'a.backup'), url, 0, quiet), () => checkStore(url, quiet)]) {
        await assert.rejects(ask, fails('unavailable', /^the store needs a folder: [a-z]+:\/\/<folder>$/));
      }
    }
  });

  it('tells of values that are no objects', async () => {
    const folder = await makeFolder();
    const engine = await openEngine(`lmdb://${folder}`);
    for (const [name, text] of Object.entries({ a: '{"metadata":{', b: '{"metadata":{}}', c: '{"metadata":{"name":"c"}}', d: 'k8s:enc:' })) {
      await engine.commit({ key: `/${name}`, expect: 0, value: Buffer.from(text) });
    }
    await engine.close();
    assert.deepEqual((await checkStore(`lmdb://${folder}`, quiet)).problems, ['/a: its value is not JSON', '/b: its value is no object with a name']);
  });

  it('counts all values that are no objects, and tells of the first ones alone', async () => {
    const folder = await makeFolder();
    const engine = await openEngine(`lmdb://${folder}/store`);
    const keys = Array.from({ length: 25 }, (_, n) => `/${100 + n}`);
    await Promise.all(keys.map((key) => engine.commit({ key, expect: 0, value: Buffer.from('{') })));
    await engine.close();
    const { path } = await backUp(`lmdb://${folder}/store`, folder, 0, quiet);
    const problems = keys.slice(0, 20).map((key) => `${key}: its value is not JSON`);
    for (const checked of [await checkStore(`lmdb://${folder}/store`, quiet), await checkBackup(path, quiet)]) {
      assert.deepEqual(checked, { revision: 26, count: 25, problems, problemCount: 25 });
    }
  });
});

describe('a check', () => {
  /** What is told of a store that can be read like this, which is closed then. */
  async function checked(found: Partial<Snapshot>, progress: Progress = quiet): Promise<CheckResult> {
    let closed = 0;
    const snapshot: Snapshot = { revision: 5, count: 2, checks: 3, check: () => [], entries: () => [], close: async () => void closed++, ...found };
    const opened = mock.method(driverOf('lmdb://').driver.maintenance!, 'snapshot', async () => snapshot);
    try {
      return await checkStore('lmdb:///store', progress);
    } finally {
      opened.mock.restore();
      assert.equal(closed, 1);
    }
  }

  it('tells what contradicts itself in a store, and looks at no values then', async () => {
    const problems = ['one thing', 'another thing'];
    assert.deepEqual(await checked({ check: () => [undefined, ...problems], entries: assert.fail }), { revision: 5, count: 2, problems, problemCount: 2 });
  });

  it('tells of a store that cannot be read to its end, wherever that is', async () => {
    function* broken<T>(before: T): Generator<T> {
      yield before;
      throw new Error('the disk failed');
    }
    const entry = { key: '/a', revision: 2, value: Buffer.from('x') };
    for (const found of [{ check: () => broken(undefined) }, { entries: () => broken(entry) }]) assert.deepEqual((await checked(found)).problems, ['it cannot be read to its end: the disk failed']);
    await assert.rejects(checked({ revision: 2 * MAX_RESTORED_REVISION + 1 }), fails('corrupt', /no store comes that far/));
  });

  it('tells how far it is, and lets others have a turn then', async () => {
    const told: (readonly [number, number])[] = [];
    const turns = await countTurns(() => checked({ count: 2_100, checks: 3, check: () => [undefined, undefined, undefined], entries: () => Array<KeptEntry>(2_100).fill({ key: '/a', revision: 2, value: Buffer.from('x') }) }, (done, total) => void told.push([done, total])));
    assert.deepEqual(told, [[1_024, 2_103], [2_048, 2_103]]);
    assert.ok(turns >= 2, `others had ${turns} turns`);
  });
});
