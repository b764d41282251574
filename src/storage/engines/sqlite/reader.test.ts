import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Sqlite, Statement } from './binding.ts';
import { makeStore, openToRead, openToWrite } from './database.ts';
import { Reader } from './reader.ts';
import { NO_SQLITE } from './test-support.ts';

/** A new store, open to write and to read. */
async function openNew(context: TestContext): Promise<{ readonly writing: Sqlite; readonly reading: Sqlite }> {
  const folder = await mkdtemp(join(tmpdir(), 'orch-sqlite-'));
  context.after(() => rm(folder, { recursive: true }));
  makeStore(folder);
  const [writing, reading] = [openToWrite(folder), openToRead(folder)];
  context.after(() => [writing, reading].forEach((file) => file.close()));
  return { writing, reading };
}

test('a disk that fails a read is what the reader is told of, though SQLite has ended the transaction then', () => {
  const fail = (): never => {
    throw new Error('disk I/O error');
  };
  const statement: Statement = { get: fail, iterate: fail, run: fail };
  const file: Sqlite = {
    exec(sql) {
      if (sql === 'COMMIT') throw new Error('cannot commit - no transaction is active');
    },
    prepare: () => statement,
    close: () => {},
  };
  const reader = new Reader(file);
  for (const read of [() => reader.get('/a'), () => reader.scan({ start: '/', end: '0' }), () => reader.changes(1, 2)]) assert.throws(read, /^Error: disk I\/O error$/);
});

test('a read shows the moment in which it began, whatever is written and forgotten between its statements', { skip: NO_SQLITE }, async (context) => {
  const { writing, reading } = await openNew(context);
  writing.exec(`PRAGMA synchronous = OFF; INSERT INTO log VALUES (2, '/a', 0, 0, 0, NULL); INSERT INTO live VALUES ('/a', 2, NULL); UPDATE meta SET value = 2 WHERE name = 'head'`);
  let head = 2;
  const write = (): void => {
    const before = head++;
    const forget = `DELETE FROM log WHERE revision = ${before}; UPDATE meta SET value = ${head} WHERE name IN ('head', 'compacted')`;
    writing.exec(`BEGIN; INSERT INTO log VALUES (${head}, '/a', ${before}, 0, 0, NULL); UPDATE live SET revision = ${head}; ${forget}; COMMIT`);
  };
  const prepare = (sql: string): Statement => {
    const statement = reading.prepare(sql);
    const get: Statement['get'] = (...values) => {
      const row = statement.get(...values);
      write();
      return row;
    };
    return { get, iterate: (...values) => statement.iterate(...values), run: () => assert.fail('a reader writes nothing') };
  };
  const reads: readonly ((reader: Reader, at: number) => readonly (number | undefined)[])[] = [
    (reader) => reader.changes(1, 2).items.map(({ revision }) => revision),
    (reader) => [reader.get('/a')?.revision],
    (reader, at) => [reader.get('/a', at)?.revision],
    (reader) => {
      const { revision, entries } = reader.scan({ start: '/', end: '0' });
      return [revision, ...entries.map((entry) => entry.revision)];
    },
  ];
  for (const [i, read] of reads.entries()) {
    const at = head;
    const shown = read(new Reader({ exec: (sql) => reading.exec(sql), prepare, close: () => {} }), at);
    assert.deepEqual(shown, shown.map(() => at), `read ${i}`);
    assert.ok(shown.length > 0 && head > at, `read ${i}`);
  }
});

test('a page ends behind the bytes that it may have, now and as of before', { skip: NO_SQLITE }, async (context) => {
  const { writing, reading } = await openNew(context);
  for (let revision = 2; revision < 10; revision++) {
    writing.exec(`INSERT INTO log VALUES (${revision}, '/k/${revision}', 0, 0, 0, zeroblob(1000)); INSERT INTO live VALUES ('/k/${revision}', ${revision}, NULL)`);
  }
  writing.exec(`INSERT INTO log VALUES (10, '/later', 0, 0, 0, NULL); INSERT INTO live VALUES ('/later', 10, NULL); UPDATE meta SET value = 10 WHERE name = 'head'`);
  for (const moment of [{}, { at: 9 }]) {
    const { entries, more } = new Reader(reading).scan({ start: '/k/', end: '/k0', maxBytes: 2_500, ...moment });
    assert.ok(entries.length >= 2 && entries.length <= 3 && more, `${entries.length} entries`);
  }
});

test('changes are read after what was forgotten, and not across it, where some of them are missing', { skip: NO_SQLITE }, async (context) => {
  const { writing, reading } = await openNew(context);
  writing.exec(`INSERT INTO log VALUES (4, '/a', 0, 0, 0, NULL), (5, '/a', 4, 0, 1, NULL); UPDATE meta SET value = 5 WHERE name = 'head'; UPDATE meta SET value = 3 WHERE name = 'compacted'`);
  const reader = new Reader(reading);
  assert.deepEqual(reader.changes(3, 5).items.map(({ revision, value }) => [revision, value?.length]), [[4, 0], [5, undefined]]);
  assert.throws(() => reader.changes(2, 5), { code: 'compacted' });
});
