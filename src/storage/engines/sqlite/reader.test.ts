import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sqlite, Statement } from './binding.ts';
import { Reader } from './reader.ts';

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
