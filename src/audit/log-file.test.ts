import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, mock, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { silentLog, StillClock } from '#base';
import { LogFile, type LogFileOptions } from './log-file.ts';

const NO_PIPES = spawnSync('mkfifo', ['--version']).error === undefined ? false : 'this system makes no named pipes';
const folder = mkdtempSync(path.join(tmpdir(), 'orch-log-file-'));
after(() => rmSync(folder, { recursive: true }));

/** In a folder of its own. */
function logFile(name: string, maxBytes = 0, more: Partial<LogFileOptions> = {}): { readonly file: string; readonly log: LogFile } {
  const file = path.join(folder, name, 'audit.log');
  mkdirSync(path.dirname(file));
  return { file, log: new LogFile({ path: file, maxBytes, maxAgeMs: 0, maxBackups: 0, compress: false, clock: new StillClock(), log: silentLog, ...more }) };
}

/** What is in the folder of a log, by name; packed files unpacked. */
function contents(file: string): Readonly<Record<string, string>> {
  const names = readdirSync(path.dirname(file)).toSorted();
  const read = (name: string): string => {
    const bytes = readFileSync(path.join(path.dirname(file), name));
    return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  };
  return Object.fromEntries(names.map((name) => [name, read(name)]));
}

/** Does this while a function of `node:fs/promises` is another one. */
async function whileMocked(mocked: { readonly mock: { restore(): void } }, work: () => Promise<void>): Promise<void> {
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    mocked.mock.restore();
    syncBuiltinESMExports();
  }
}

/** Midnight of a day in 2026. */
const midnight = (): StillClock => new StillClock(Date.parse('2026-03-01T00:00:00Z'));

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
  await whileMocked(full, async () => {
    await assert.rejects(log.append('second one\n'), /no space/);
  });
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

test('a line of which the disk took a part only is refused, and so are others while it takes nothing; the next one stands for itself', async () => {
  const { file, log } = logFile('in-part');
  await log.append('first\n');
  const probe = await files.open(file);
  let room = 3;
  const takesPart = async function (this: files.FileHandle, bytes: string | Uint8Array): Promise<void> {
    await this.write(bytes.slice(0, room).toString());
    room = 0;
    throw new Error('no space left');
  };
  mock.method(Object.getPrototypeOf(probe) as files.FileHandle, 'appendFile', takesPart, { times: 2 });
  await probe.close();
  for (const line of ['second\n', 'another\n']) await assert.rejects(log.append(line), /^Error: no space left$/);
  await log.append('third\n');
  await log.close();
  assert.deepEqual(contents(file), { 'audit.log': 'first\nsec\nthird\n' });
});

test('a log has as many lines as its size has room for, with those from before, and is put aside unpacked', async () => {
  const clock = midnight();
  const { file, log } = logFile('filled', 12, { clock, maxAgeMs: 1_000 });
  writeFileSync(file, 'one\n');
  for (const line of ['two\n', 'six\n', 'ten\n']) await log.append(line);
  assert.deepEqual(contents(file), { 'audit-2026-03-01T00-00-00.000.log': 'one\ntwo\nsix\n', 'audit.log': 'ten\n' });
  clock.turn(1_000);
  await log.append('too long a line\n');
  await log.close();
  const both = { 'audit-2026-03-01T00-00-00.000.log': 'one\ntwo\nsix\n', 'audit-2026-03-01T00-00-01.000.log': 'ten\n' };
  assert.deepEqual(contents(file), { ...both, 'audit.log': 'too long a line\n' });
});

test('a log makes the folders that it is to be in, and what is too long for it does not put an empty one aside', async () => {
  const file = path.join(folder, 'made', 'for', 'it', 'audit.log');
  const log = new LogFile({ path: file, maxBytes: 12, maxAgeMs: 0, maxBackups: 0, compress: false, clock: midnight(), log: silentLog });
  await log.open();
  for (const line of ['the first line\n', 'the next line\n']) await log.append(line);
  await log.close();
  assert.deepEqual(contents(file), { 'audit-2026-03-01T00-00-00.000.log': 'the first line\n', 'audit.log': 'the next line\n' });
});

test('a log that is put aside takes the place of no other one, though that was put aside in the same millisecond, or is packed', async () => {
  const { file, log } = logFile('at-once', 12, { clock: midnight() });
  for (const name of ['audit-2026-03-01T00-00-00.000.log', 'audit-2026-03-01T00-00-00.002.log.gz']) writeFileSync(path.join(path.dirname(file), name), 'earlier\n');
  for (const line of ['first one\n', 'second one\n', 'third one\n']) await log.append(line);
  await log.close();
  const aside = readdirSync(path.dirname(file)).toSorted().map((name) => [name, readFileSync(path.join(path.dirname(file), name), 'utf8')]);
  assert.deepEqual(aside, [
    ['audit-2026-03-01T00-00-00.000.log', 'earlier\n'],
    ['audit-2026-03-01T00-00-00.001.log', 'first one\n'],
    ['audit-2026-03-01T00-00-00.002.log.gz', 'earlier\n'],
    ['audit-2026-03-01T00-00-00.003.log', 'second one\n'],
    ['audit.log', 'third one\n'],
  ]);
});

test('a full log that cannot be put aside keeps what it has, and goes on where it was once it can be', async () => {
  const clock = midnight();
  const { file, log } = logFile('held', 12, { clock });
  await log.append('first one\n');
  const held = mock.method(files, 'rename', () => Promise.reject(Object.assign(new Error('permission denied'), { code: 'EACCES' })));
  await whileMocked(held, async () => {
    await assert.rejects(log.append('second one\n'), /permission denied/);
  });
  assert.deepEqual(contents(file), { 'audit.log': 'first one\n' });
  await log.append('third one\n');
  await log.close();
  assert.deepEqual(contents(file), { 'audit-2026-03-01T00-00-00.000.log': 'first one\n', 'audit.log': 'third one\n' });
});

test('a pipe is not put aside, however much has gone through it', { skip: NO_PIPES }, async () => {
  const { file, log } = logFile('pipe', 12);
  assert.equal(spawnSync('mkfifo', [file]).status, 0);
  const reader = await files.open(file, 'r+');
  for (const line of ['first one\n', 'second one\n', 'third one\n']) await log.append(line);
  await log.close();
  assert.deepEqual(readdirSync(path.dirname(file)), ['audit.log']);
  const { buffer, bytesRead } = await reader.read(Buffer.alloc(100), 0, 100, null);
  await reader.close();
  assert.equal(buffer.toString('utf8', 0, bytesRead), 'first one\nsecond one\nthird one\n');
});

test('after its end a log takes no more, and opens no file', async () => {
  const { file, log } = logFile('ended');
  await log.append('first one\n');
  await log.close();
  const opened = mock.method(files, 'open');
  await whileMocked(opened, async () => {
    await assert.rejects(log.append('second one\n'), /closed/);
    assert.equal(opened.mock.callCount(), 0);
  });
  assert.equal(readFileSync(file, 'utf8'), 'first one\n');
});

test('what is put aside is packed as it was, also what was left unpacked, and removed when it is too old; what is only named like it stays', async () => {
  const clock = midnight();
  const { file, log } = logFile('packed', 12, { clock, compress: true, maxAgeMs: 3_600_000 });
  const others = ['audit-2020-01-01T00-00-00.000.txt', 'audit-2020-01-01T00-00-00.log', 'audit-notes.log', 'other-2020-01-01T00-00-00.000.log'];
  for (const name of ['audit-2026-02-28T22-59-59.999.log.gz', 'audit-2026-02-28T23-30-00.000.log', ...others]) writeFileSync(path.join(path.dirname(file), name), 'earlier\n');
  for (const line of ['first one\n', 'second one\n', 'third one\n']) {
    await log.append(line);
    clock.turn(1);
  }
  await log.close();
  const old = { 'audit-2026-02-28T23-30-00.000.log.gz': 'earlier\n', ...Object.fromEntries(others.map((name) => [name, 'earlier\n'])) };
  const aside = { 'audit-2026-03-01T00-00-00.001.log.gz': 'first one\n', 'audit-2026-03-01T00-00-00.002.log.gz': 'second one\n' };
  assert.deepEqual(contents(file), { ...old, ...aside, 'audit.log': 'third one\n' });
});

test('a log that is opened removes what is too old or too much of what was put aside before, and what a process left that ended while it packed; it packs nothing', async () => {
  const { file, log } = logFile('opened', 0, { clock: midnight(), compress: true, maxAgeMs: 3_600_000, maxBackups: 2 });
  const folderOf = path.dirname(file);
  const aside = ['02-28T22-59-59.999.log.gz', '02-28T23-30-00.000.log', '02-28T23-40-00.000.log', '02-28T23-50-00.000.log', '02-27T00-00-00.000.log.packing', '02-28T23-50-00.000.log.packing'];
  const others = ['audit-notes.log.packing', 'audit-2026-02-28T23-50-00.000.log.my-copy'];
  for (const name of [...aside.map((one) => `audit-2026-${one}`), ...others]) writeFileSync(path.join(folderOf, name), 'earlier\n');
  await log.open();
  await log.close();
  const newest = { 'audit-2026-02-28T23-40-00.000.log': 'earlier\n', 'audit-2026-02-28T23-50-00.000.log': 'earlier\n' };
  assert.deepEqual(contents(file), { ...newest, ...Object.fromEntries(others.map((name) => [name, 'earlier\n'])), 'audit.log': '' });
});

test('where there is no room to pack a log, those that are too many are removed all the same, nothing half done stays, and it is packed later', async () => {
  const clock = midnight();
  const told: string[] = [];
  const { file, log } = logFile('unpacked', 12, { clock, compress: true, maxBackups: 1, log: { ...silentLog, warn: (message) => void told.push(message) } });
  const { rename } = files;
  const full = mock.method(files, 'rename', (from: string, to: string) =>
    from.endsWith('.packing') ? Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })) : rename(from, to),
  );
  await whileMocked(full, async () => {
    for (const line of ['first one\n', 'second one\n', 'third one\n']) {
      await log.append(line);
      clock.turn(1);
    }
    await log.close();
  });
  assert.deepEqual(contents(file), { 'audit-2026-03-01T00-00-00.002.log': 'second one\n', 'audit.log': 'third one\n' });
  assert.deepEqual(told, ['old audit logs could not be tidied up', 'old audit logs could not be tidied up']);
  const later = new LogFile({ path: file, maxBytes: 12, maxAgeMs: 0, maxBackups: 2, compress: true, clock, log: silentLog });
  await later.open();
  await later.append('fourth one\n');
  await later.close();
  assert.deepEqual(Object.keys(contents(file)), ['audit-2026-03-01T00-00-00.002.log.gz', 'audit-2026-03-01T00-00-00.003.log.gz', 'audit.log']);
});

test('a log closes each file that it has written, when that is put aside and in the end', async () => {
  const { file, log } = logFile('closed', 12);
  const { open } = files;
  const opened: files.FileHandle[] = [];
  const noting = mock.method(files, 'open', async (...asked: Parameters<typeof open>) => {
    const handle = await open(...asked);
    opened.push(handle);
    return handle;
  });
  await whileMocked(noting, async () => {
    for (const line of ['first one\n', 'second one\n', 'third\n', 'last\n']) await log.append(line);
    await log.close();
  });
  assert.deepEqual(opened.map(({ fd }) => fd), [-1, -1, -1]);
  assert.equal(readFileSync(file, 'utf8'), 'third\nlast\n');
});
