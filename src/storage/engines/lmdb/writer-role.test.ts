import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { SetClock, StillClock } from '#base';
import { HISTORY_SECONDS } from '../../engine-suite.ts';
import { OpenedFile } from '../../opened-file.ts';
import { FILE, openTables, type Tables } from './database.ts';
import { History } from './history.ts';
import { TRIM_EVERY_MS } from './limits.ts';
import { WriterRole } from './writer-role.ts';

async function makeFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orch-writer-'));
  context.after(() => rm(folder, { recursive: true }));
  return folder;
}

async function openStore(context: TestContext): Promise<{ readonly folder: string; readonly tables: Tables }> {
  const folder = await makeFolder(context);
  const tables = openTables(folder);
  context.after(() => tables.root.close());
  return { folder, tables };
}

/** A table of which some calls do something else. */
const altered = <T extends object>(table: T, calls: object): T => Object.assign(Object.create(table) as T, calls);

test('the log says once that a disk fails writes, once that they succeed again, and that the store has come to its end, also where it had failed before', async (context) => {
  const { folder, tables } = await openStore(context);
  let failure = '';
  const log = altered(tables.log, {
    ifNoExists: (...[revision, write]: Parameters<Tables['log']['ifNoExists']>) => (failure === '' ? tables.log.ifNoExists(revision, write) : Promise.reject(new Error(failure))),
  });
  const [logged, ends] = [[] as string[], [] as string[]];
  const options = { location: folder, historySeconds: HISTORY_SECONDS, clock: new StillClock(), log: (message: string) => void logged.push(message.replace(`${folder}/`, '')) };
  const hooks = { committed: () => {}, failed: () => {}, ended: ({ message }: Error) => void ends.push(message) };
  const writer = new WriterRole({ ...tables, log }, new History(tables), [new OpenedFile(join(folder, FILE))], options, hooks);
  const write = async (key: string): Promise<boolean> => writer.commit({ key, expect: 0, value: Buffer.from('x') }).then(({ done }) => done, () => false);
  assert.equal(await write('/a'), true);
  const [io, fatal] = ['Input/output error', 'Attempting to write page 7'];
  const done: boolean[] = [];
  for (const [n, next] of [io, io, '', '', io, io, fatal, ''].entries()) {
    failure = next;
    done.push(await write(`/${n}`));
  }
  assert.deepEqual(done, [false, false, true, true, false, false, false, false]);
  const could = `the store ${FILE} could not write: ${io}`;
  assert.deepEqual(logged.slice(0, -1), [could, 'the store can be written again', could]);
  assert.match(logged.at(-1)!, /^the disk of the store \S+ failed \(Attempting to write page 7\): nothing is written to it or read from it any more/);
  assert.equal(ends.length, 1);
  await writer.close();
});

test('the log says once, and not every few seconds, that history cannot be forgotten because it cannot be read', async (context) => {
  const { folder, tables } = await openStore(context);
  const log = altered(tables.log, { getRange: () => assert.fail('damaged') });
  const [clock, logged] = [new SetClock(), [] as string[]];
  const options = { location: folder, historySeconds: HISTORY_SECONDS, clock, log: (message: string) => void logged.push(message) };
  const writer = new WriterRole({ ...tables, log }, new History(tables), [], options, { committed: () => {}, failed: () => {}, ended: () => {} });
  await writer.commit({ key: '/a', expect: 0, value: Buffer.from('x') });
  for (let round = 0; round < 3; round++) {
    clock.turn(TRIM_EVERY_MS);
    // It comes after what the alarm has begun.
    await writer.compact(1).catch(() => {});
  }
  assert.deepEqual(logged, ['history could not be trimmed']);
  await writer.close();
});

test('a write that fails says whether it may have been done: what a disk refuses can be on it', async (context) => {
  const { folder, tables } = await openStore(context);
  const state = { isDone: false, canRead: true };
  const log = altered(tables.log, {
    async ifNoExists(...[revision, write]: Parameters<Tables['log']['ifNoExists']>) {
      if (state.isDone) await tables.log.ifNoExists(revision, write);
      throw new Error('Input/output error');
    },
  });
  const meta = altered(tables.meta, {
    get(name: string) {
      if (!state.canRead) throw new Error('MDB_PANIC');
      return tables.meta.get(name);
    },
  });
  const options = { location: folder, historySeconds: HISTORY_SECONDS, clock: new StillClock(), log: () => {} };
  const writer = new WriterRole({ ...tables, log, meta }, new History(tables), [new OpenedFile(join(folder, FILE))], options, { committed: () => {}, failed: () => {}, ended: (why) => ends.push(why.isUnconfirmed) });
  const ends: boolean[] = [];
  const fails = async (next: typeof state, isUnconfirmed: boolean): Promise<void> => {
    const written = writer.commit({ key: '/a', expect: 0, value: Buffer.from('x') });
    Object.assign(state, next);
    await assert.rejects(written, { code: 'unavailable', isUnconfirmed });
  };
  await fails({ isDone: false, canRead: true }, false);
  await fails({ isDone: true, canRead: true }, true);
  tables.live.removeSync('/a');
  await fails({ isDone: false, canRead: false }, true);
  // What is asked behind the end of the store is not tried.
  await fails({ isDone: false, canRead: false }, false);
  assert.deepEqual(ends, [false]);
  await writer.close();
});

for (const [what, waits] of [
  ['another process that opens the file', 'const goOn = await writer.hold(); setTimeout(goOn, 50).unref();'],
  ['the turn of another process at its key', 'await write({}); await writer.commitFor({}, { key: "/a", expect: 0, isRetry: true });'],
] as const) {
  test(`a process that has nothing else to do lives until a write is on disk that waits for ${what}`, async (context) => {
    const folder = await makeFolder(context);
    const module = (name: string): string => JSON.stringify(new URL(`./${name}.js`, import.meta.url).href);
    const program = `
      const { FILE, openTables } = await import(${module('database')});
      const { History } = await import(${module('history')});
      const { WriterRole } = await import(${module('writer-role')});
      const [folder] = process.argv.slice(1);
      const clock = { nowMs: () => Date.now(), after: () => () => {} };
      const tables = openTables(folder);
      const options = { location: folder, historySeconds: 300, clock, log() {} };
      const writer = new WriterRole(tables, new History(tables), [], options, { committed() {}, failed() {}, ended() {} });
      const write = (more) => writer.commit({ key: '/a', expect: 0, value: new Uint8Array(), ...more });
      ${waits}
      await write({ key: '/a', expect: tables.live.get('/a') ?? 0 });
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, folder], { stdio: ['ignore', 'inherit', 'inherit'] });
    assert.deepEqual(await once(child, 'exit'), [0, null]);
  });
}
