import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, mock, test } from 'node:test';
import { silentLog, StillClock } from '#base';
import { LogFile } from './log-file.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'orch-log-file-'));
after(() => rmSync(folder, { recursive: true }));

/** In a folder of its own. */
function logFile(name: string, maxBytes = 0): { readonly file: string; readonly log: LogFile } {
  const file = path.join(folder, name, 'audit.log');
  mkdirSync(path.dirname(file));
  return { file, log: new LogFile({ path: file, maxBytes, maxAgeMs: 0, maxBackups: 0, compress: false, clock: new StillClock(), log: silentLog }) };
}

test('a full log that somebody else has moved away, or removed, is put aside already: a new one is begun', async () => {
  for (const [name, take] of [['moved', (file: string) => renameSync(file, `${file}.1`)], ['removed', rmSync]] as const) {
    const { file, log } = logFile(name, 12);
    await log.append('first one\n');
    take(file);
    await log.append('second one\n');
    await log.append('third one\n');
    await log.close();
    assert.equal(readFileSync(file, 'utf8'), 'third one\n');
    assert.equal(readdirSync(path.dirname(file)).length, name === 'moved' ? 3 : 2);
  }
});

test('where there is no room for a new log once, there may be later', async () => {
  const { file, log } = logFile('later', 12);
  await log.append('first one\n');
  const full = mock.method(files, 'open', () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })));
  syncBuiltinESMExports();
  try {
    await assert.rejects(log.append('second one\n'), /no space/);
  } finally {
    full.mock.restore();
    syncBuiltinESMExports();
  }
  await log.append('third one\n');
  await log.close();
  assert.equal(readFileSync(file, 'utf8'), 'third one\n');
  assert.equal(readdirSync(path.dirname(file)).length, 2);
});

test('a line that was cut off, by a full disk or the end of a process, stands for itself: the next one can be read', async () => {
  const { file, log } = logFile('cut');
  writeFileSync(file, '{"whole":1}\n{"cut o');
  await log.append('{"next":2}\n');
  await log.append('{"last":3}\n');
  await log.close();
  assert.equal(readFileSync(file, 'utf8'), '{"whole":1}\n{"cut o\n{"next":2}\n{"last":3}\n');
});

test('after its end a log takes no more, and opens no file', async () => {
  const { file, log } = logFile('ended');
  await log.append('first one\n');
  await log.close();
  const opened = mock.method(files, 'open');
  syncBuiltinESMExports();
  try {
    await assert.rejects(log.append('second one\n'), /closed/);
    assert.equal(opened.mock.callCount(), 0);
  } finally {
    opened.mock.restore();
    syncBuiltinESMExports();
  }
  assert.equal(readFileSync(file, 'utf8'), 'first one\n');
});
