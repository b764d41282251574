import assert from 'node:assert/strict';
import { closeSync, openSync, writeSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { backUp, checkStore } from '../../backup/maintenance.ts';
import { openEngine } from '../../open.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { FILE } from './database.ts';
import { freeRuns, pageDamage } from './pages.ts';
import { openIn, problemsIn, spaceIn } from './test-support.ts';

const PAGE = 4096;
const isCorrupt = (error: unknown): boolean => error instanceof StorageFailure && error.code === 'corrupt' && /restore a backup/.test(error.message);
const quiet = (): void => {};

describe('a file that is damaged', () => {
  let root: string;
  let whole: Buffer;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'orch-pages-'));
    const engine = await openEngine(`lmdb://${join(root, 'whole')}`);
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 60; i++) {
        const key = `/maps/${String(i).padStart(3, '0')}`;
        const expect = (await engine.get(key))?.revision ?? 0;
        const value = JSON.stringify({ metadata: { name: `${i}` }, data: 'x'.repeat(i === 7 ? 20_000 : i * 9) });
        await engine.commit({ key, expect, value: Buffer.from(value), ...(i % 10 === 0 ? { ttlSeconds: 3_600 } : {}) });
      }
    }
    await engine.close();
    // What is allocated behind its pages says nothing.
    await truncate(join(root, 'whole', FILE), spaceIn(join(root, 'whole')).usedBytes);
    whole = await readFile(join(root, 'whole', FILE));
  });
  after(() => rm(root, { recursive: true, force: true }));

  /** A store with this in its file. */
  async function storeWith(bytes: Buffer): Promise<string> {
    const folder = await mkdtemp(join(root, 'damaged-'));
    await writeFile(join(folder, FILE), bytes);
    return folder;
  }

  test('that ends too early is refused, and not read beyond its end', async () => {
    for (let bytes = 3 * PAGE; bytes < whole.length; bytes += 5 * PAGE + 100) {
      const folder = await storeWith(whole.subarray(0, bytes));
      await assert.rejects(openEngine(`lmdb://${folder}`), isCorrupt, `${bytes} bytes`);
      await assert.rejects(checkStore(`lmdb://${folder}`, quiet), isCorrupt, `${bytes} bytes`);
    }
  });

  test('that is empty is neither checked nor copied, and is a new store for a server', async () => {
    const folder = await storeWith(Buffer.alloc(0));
    const isEmpty = { name: 'StorageFailure', message: /orch\.mdb is empty: no server has written to it yet, or what it held is lost/ };
    await assert.rejects(checkStore(`lmdb://${folder}`, quiet), isEmpty);
    await assert.rejects(backUp(`lmdb://${folder}`, join(root, 'empty.backup'), 0, quiet), isEmpty);
    await (await openEngine(`lmdb://${folder}`)).close();
    await checkStore(`lmdb://${folder}`, quiet);
  });

  test('may end early where nothing is used any more', async () => {
    const folder = await storeWith(whole);
    const { count } = await checkStore(`lmdb://${folder}`, quiet);
    await copyFile(join(root, 'whole', FILE), join(folder, FILE));
    // What is free at its end was perhaps never written.
    const bytes = Buffer.from(whole);
    for (const meta of [0, PAGE]) bytes.writeBigUInt64LE(bytes.readBigUInt64LE(meta + 144) + 2n, meta + 144);
    await writeFile(join(folder, FILE), bytes);
    assert.deepEqual({ count, problemCount: 0 }, await checkStore(`lmdb://${folder}`, quiet).then(({ count: found, problemCount }) => ({ count: found, problemCount })));
    await truncate(join(folder, FILE), whole.length);
    await (await openEngine(`lmdb://${folder}`)).close();
  });

  test('in any page is found by the check, which lives', async () => {
    let found = 0;
    for (let page = 2; page < whole.length / PAGE; page++) {
      for (const damage of [Buffer.alloc(PAGE), Buffer.alloc(PAGE, 0xa5), whole.subarray(2 * PAGE, 3 * PAGE)]) {
        const bytes = Buffer.from(whole);
        damage.copy(bytes, page * PAGE);
        const told = await checkStore(`lmdb://${await storeWith(bytes)}`, quiet).catch((error: unknown) => {
          assert.ok(isCorrupt(error), String(error));
          return undefined;
        });
        // Pages that are free may hold anything, and what is in the middle of a long value stands behind its first page.
        if (told === undefined || told.problemCount > 0) found++;
        else assert.equal(told.count, 60);
      }
    }
    assert.ok(found > whole.length / PAGE);
  });

  test('in a key answers with no other: it says what it found', async () => {
    const name = Buffer.from('/maps/033');
    const damaged: string[] = [];
    for (let at = whole.indexOf(name); at >= 0; at = whole.indexOf(name, at + 1)) {
      const bytes = Buffer.from(whole);
      bytes.write('/mapt/033', at);
      const folder = await storeWith(bytes);
      const engine = await openEngine(`lmdb://${folder}`);
      for (const read of [engine.get('/maps/033'), engine.scan({ start: '/', end: '0' })]) {
        const found = await read.catch((error: unknown) => assert.ok(isCorrupt(error), String(error)));
        const entries = found === undefined ? [] : 'entries' in found ? found.entries : [found];
        if (entries.some(({ key }) => key === '/mapt/033')) damaged.push(`byte ${at}`);
      }
      await engine.close();
    }
    assert.deepEqual(damaged, []);
  });

  test('where its tables begin is refused: it is never taken for a new one', async () => {
    let refused = 0;
    for (let page = 2; page < whole.length / PAGE; page++) {
      const bytes = Buffer.from(whole);
      bytes.fill(0, page * PAGE, (page + 1) * PAGE);
      const folder = await storeWith(bytes);
      const engine = await openEngine(`lmdb://${folder}`).catch((error: unknown) => {
        assert.ok(isCorrupt(error), String(error));
        refused++;
        return undefined;
      });
      if (engine === undefined) continue;
      assert.equal(await engine.head(), 181);
      await engine.close();
    }
    // The names, and the six tables that they lead to.
    assert.ok(refused >= 5, `${refused}`);
  });

  test('in what a page says of its parts is told as damage, whatever it leads to', async () => {
    const folder = await storeWith(whole);
    const path = join(folder, FILE);
    const told = async (change: (bytes: Buffer) => void): Promise<string | undefined> => {
      const bytes = Buffer.from(whole);
      change(bytes);
      await writeFile(path, bytes);
      return pageDamage(path, 'all');
    };
    const LEAF = 2;
    const IS_TREE = 2;
    let nodes = 0;
    for (let page = 2 * PAGE; page < whole.length; page += PAGE) {
      if ((whole.readUInt16LE(page + 18) & 15) !== LEAF) continue;
      for (let slot = 0; slot < whole.readUInt16LE(page + 20); slot += 2) {
        const node = page + 24 + whole.readUInt16LE(page + 24 + slot);
        await told((bytes) => bytes.writeUInt16LE(IS_TREE, node + 4));
        nodes++;
      }
    }
    assert.ok(nodes > 180, `${nodes}`);
    for (const pageBytes of [0, 1, 16, 2 ** 31]) {
      assert.notEqual(await told((bytes) => [48, PAGE + 48].forEach((at) => bytes.writeUInt32LE(pageBytes, at))), undefined);
      await assert.rejects(checkStore(`lmdb://${folder}`, quiet), isCorrupt, `pages of ${pageBytes} bytes`);
    }
  });
});

describe('free pages of a file', () => {
  test('are those of which nothing is read, least of all what a reader may see', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'orch-pages-free-'));
    t.after(() => rm(folder, { recursive: true }));
    const engine = await openIn(folder);
    const bytesOf = (i: number): number => [10, 20_000, 300, 90_000][i % 4]!;
    const revisions: number[] = [];
    for (let i = 0; i < 200; i++) {
      const commit = await engine.commit({ key: `/${i}`, expect: 0, value: Buffer.alloc(bytesOf(i), `${i}`) });
      if (commit.done) revisions.push(commit.revision);
    }
    const isKept = (i: number): boolean => i % 5 === 0;
    for (const [i, expect] of revisions.entries()) if (!isKept(i)) await engine.commit({ key: `/${i}`, expect });
    await engine.compact(await engine.head());
    for (const i of [1, 2, 3]) await engine.commit({ key: `/more-${i}`, expect: 0, value: Buffer.alloc(10) });
    await engine.close();

    const file = openSync(join(folder, FILE), 'r+');
    t.after(() => closeSync(file));
    const deletedBytes = revisions.reduce((sum, _, i) => sum + (isKept(i) ? 0 : bytesOf(i)), 0);
    const { pageBytes, runs } = freeRuns(file, Infinity, 1e6);
    assert.equal(pageBytes, PAGE);
    assert.ok(runs.reduce((sum, { pages }) => sum + pages, 0) * PAGE > 0.8 * deletedBytes);
    assert.ok(runs.every(({ first }, i) => i === 0 || first > runs[i - 1]!.first + runs[i - 1]!.pages));
    assert.deepEqual(freeRuns(file, 0, 1e6).runs, []);

    for (const { first, pages } of runs) writeSync(file, Buffer.alloc(pages * PAGE, 0xa5), 0, pages * PAGE, first * PAGE);
    assert.deepEqual(await problemsIn(folder), []);
    const again = await openIn(folder);
    for (const i of revisions.keys()) assert.equal((await again.get(`/${i}`))?.value.length, isKept(i) ? bytesOf(i) : undefined);
    await again.close();
  });
});
