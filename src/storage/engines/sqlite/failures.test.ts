import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StorageFailure, type StorageFailureCode } from '../../storage-failure.ts';
import { openFailure, writeFailure } from './failures.ts';

const SAID: readonly (readonly [text: string, code: StorageFailureCode, told: string])[] = [
  ['database or disk is full', 'full', 'the store /s/orch.sqlite cannot be opened (database or disk is full): the disk is full, free some space'],
  ['ENOSPC: no space left on device', 'full', 'the store /s/orch.sqlite cannot be opened (ENOSPC: no space left on device): the disk is full, free some space'],
  ['database is locked', 'unavailable', 'the store /s/orch.sqlite cannot be opened (database is locked): another process uses the file, stop it or wait until it has finished'],
  ['EACCES: permission denied', 'unavailable', 'the store /s/orch.sqlite cannot be opened (EACCES: permission denied): check that the folder is writable'],
  ['unable to open database file', 'unavailable', 'the store /s/orch.sqlite cannot be opened (unable to open database file): check that the folder is writable'],
  ['disk I/O error', 'unavailable', 'the store /s/orch.sqlite cannot be opened (disk I/O error): see whether a quota of its user or a limit on the size of files is reached, and look for what the system says about its disk'],
  ['EEXIST: file already exists', 'unavailable', 'the store /s/orch.sqlite cannot be opened (EEXIST: file already exists): a file is where the folder should be, give another folder'],
  ['out of memory', 'unavailable', 'the store /s/orch.sqlite cannot be opened (out of memory)'],
  ['file is not a database', 'corrupt', '/s/orch.sqlite is not a store of this program or is damaged (file is not a database): restore a backup or give another folder'],
];

test('a store that cannot be opened says what to do about what stands in the way', () => {
  for (const [text, code, told] of SAID) {
    const failure = openFailure('/s', new Error(text));
    assert.deepEqual([failure.code, failure.message], [code, told]);
  }
  const known = new StorageFailure('unavailable', 'needs another Node');
  assert.equal(openFailure('/s', known), known);
});

test('a write that fails says why, and what to do: where SQLite calls a quota of the system an I/O error, that one may be reached', () => {
  const failure = writeFailure(import.meta.dirname, 'disk I/O error', false);
  assert.equal(failure.code, 'unavailable');
  assert.match(failure.message, /could not write \(disk I\/O error\): see whether a quota of its user or a limit on the size of files is reached, and look for/);
  const damaged = writeFailure(import.meta.dirname, 'database disk image is malformed', false);
  assert.deepEqual([damaged.code, /is damaged \(database disk image is malformed\): restore a backup/.test(damaged.message)], ['corrupt', true]);
  assert.match(writeFailure(import.meta.dirname, 'UNIQUE constraint failed', false).message, /could not write: UNIQUE constraint failed$/);
});
