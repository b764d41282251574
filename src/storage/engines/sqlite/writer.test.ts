import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { systemClock } from '#base';
import type { Sqlite } from './binding.ts';
import { makeStore, openToRead, openToWrite } from './database.ts';
import type { WriteRequest, WriterRequest, WriterResponse } from './messages.ts';
import { Reader } from './reader.ts';
import { NO_SQLITE } from './test-support.ts';
import { Writer } from './writer.ts';

/** A writer to a new store, for which `execute` stands in front of what SQLite executes, and what a reader finds there. */
async function open(context: TestContext, execute: (sql: string, file: Sqlite) => void = (sql, file) => file.exec(sql)) {
  const folder = await mkdtemp(join(tmpdir(), 'orch-sqlite-'));
  context.after(() => rm(folder, { recursive: true }));
  makeStore(folder);
  const [file, reader] = [openToWrite(folder), new Reader(openToRead(folder))];
  context.after(() => [file, reader].forEach((one) => one.close()));
  const writer = new Writer(folder, { exec: (sql) => execute(sql, file), prepare: (sql) => file.prepare(sql), close: () => {} });
  const write = (...writes: WriteRequest[]): WriterResponse => writer.answer({ kind: 'write', writes, values: new Uint8Array(4), timeMs: systemClock.nowMs() } satisfies WriterRequest);
  return { write, reader };
}

const failed = (message: string, errcode: number): never => {
  throw Object.assign(new Error(message), { errcode });
};
const put = (key: string): WriteRequest => ({ key, expect: 0, valueAt: { start: 0, length: 4 } });

describe('writer of a SQLite store', { skip: NO_SQLITE }, () => {
  for (const { what, message, errcode, isUnconfirmed } of [
    { what: 'a full disk cut short', message: 'database or disk is full', errcode: 13, isUnconfirmed: false },
    { what: 'a disk that takes no more cut short', message: 'disk I/O error', errcode: 778, isUnconfirmed: false },
    { what: 'was not flushed', message: 'disk I/O error', errcode: 1034, isUnconfirmed: true },
  ]) {
    it(`says of a transaction that ${what} whether it may be in the file when that is opened anew; the next one begins behind what was there`, async (context) => {
      let faults = 1;
      const { write, reader } = await open(context, (sql, file) => (sql === 'COMMIT' && faults-- > 0 ? failed(message, errcode) : file.exec(sql)));
      assert.deepEqual(write(put('/a')), { kind: 'failed', why: message, isUnconfirmed });
      assert.deepEqual([reader.head(), reader.get('/a')], [1, undefined]);
      assert.deepEqual(write(put('/b')), { kind: 'written', outcomes: [{ done: true, revision: 2, previous: 0 }], head: 2 });
      assert.deepEqual([reader.head(), reader.get('/a'), reader.get('/b')?.revision], [2, undefined, 2]);
    });
  }

  it('tells why a commit failed, also where SQLite has ended the transaction by itself', async (context) => {
    const { write } = await open(context, (sql, file) => {
      file.exec(sql === 'COMMIT' ? 'ROLLBACK' : sql);
      if (sql === 'COMMIT') failed('disk I/O error', 1034);
    });
    for (let round = 0; round < 2; round++) assert.deepEqual(write(put('/a')), { kind: 'failed', why: 'disk I/O error', isUnconfirmed: true });
  });
});
