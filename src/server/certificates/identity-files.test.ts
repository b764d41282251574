import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import files, { copyFile, lstat, mkdir, mkdtemp, readdir, rm, stat, symlink, unlink } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, mock, test } from 'node:test';
import { openIdentityFiles, readPair, writePair, writePrivate } from './identity-files.ts';

const FILES = ['ca.crt', 'ca.key', 'apiserver.crt', 'apiserver.key', 'admin.token', 'sa.key'];

const folder = await mkdtemp(join(tmpdir(), 'orch-identity-'));
after(() => rm(folder, { recursive: true }));

test('what identifies a server is kept, for its owner alone, and made anew where a part of it is missing', async () => {
  const open = async () => {
    const { servingAt: _, ...identity } = await openIdentityFiles(folder, [], Date.now());
    return identity;
  };
  let kept = await open();
  assert.deepEqual(await open(), kept);
  for (const file of FILES) {
    assert.equal((await stat(join(folder, 'pki', file))).mode & 0o077, 0, file);
    await unlink(join(folder, 'pki', file));
    const anew = await open();
    assert.deepEqual(await open(), anew, `${file} was lost`);
    const changed = (['authority', 'serving', 'adminToken', 'tokenKey'] as const).filter((part) => JSON.stringify(anew[part]) !== JSON.stringify(kept[part]));
    // Without its authority no certificate is good.
    const expected = file.startsWith('ca') ? ['authority', 'serving'] : file.startsWith('apiserver') ? ['serving'] : file === 'admin.token' ? ['adminToken'] : ['tokenKey'];
    assert.deepEqual(changed, expected, `${file} was lost`);
    kept = anew;
  }
});

const DAY_MS = 24 * 3600 * 1000;

/** The name of a file in the folder of a server of its own, which was started at that time. */
async function started(name: string, atMs = Date.now()): Promise<(file: string) => string> {
  await openIdentityFiles(join(folder, name), [], atMs);
  return (file) => join(folder, name, 'pki', file);
}

test('a serving certificate whose key is that of another one is made anew', async () => {
  const [here, there] = [await started('here'), await started('there')];
  await copyFile(there('apiserver.key'), here('apiserver.key'));
  const { serving } = await openIdentityFiles(join(folder, 'here'), [], Date.now());
  assert.ok(new X509Certificate(serving.cert).checkPrivateKey(createPrivateKey(serving.key)));
});

test('a serving certificate without a name that the server has now, as one of another machine, is made anew, as one that cannot be read', async () => {
  const at = await started('moved');
  const open = async (...names: readonly string[]): Promise<string> => (await openIdentityFiles(join(folder, 'moved'), names, Date.now())).serving.cert;
  const first = readFileSync(at('apiserver.crt'), 'utf8');
  for (const name of ['localhost', hostname()]) assert.equal(new X509Certificate(first).checkHost(name, { subject: 'never' }), name);
  const second = await open('api.example', '203.0.113.7');
  assert.notEqual(second, first);
  assert.equal(new X509Certificate(second).checkIP('203.0.113.7'), '203.0.113.7');
  assert.deepEqual([await open('203.0.113.7'), readFileSync(at('apiserver.crt'), 'utf8')], [second, second]);
  writeFileSync(at('apiserver.key'), '');
  assert.notEqual(await open('203.0.113.7'), second);
});

test('an authority whose time is over, or has not begun, stays, and what is to be done is told', async () => {
  const at = await started('once');
  const remark = async (days: number): Promise<string> => String((await openIdentityFiles(join(folder, 'once'), [], Date.now() + days * DAY_MS)).remark);
  const before = readFileSync(at('ca.crt'), 'utf8');
  assert.equal(await remark(0), 'undefined');
  assert.match(await remark(4_000), /ca\.crt ended at \w+ +\d+ .* GMT: no client accepts this server any more\. Where the clock is right, remove it and ca\.key/);
  assert.match(await remark(-4_000), /ca\.crt counts from \w+ +\d+ .* GMT on: see to the clock/);
  assert.equal(readFileSync(at('ca.crt'), 'utf8'), before);
});

test('an authority whose key is that of another one is not replaced: who starts the server is told what to do', async () => {
  const [mine, other] = [await started('mine'), await started('other')];
  const before = readFileSync(mine('ca.crt'), 'utf8');
  await copyFile(other('ca.key'), mine('ca.key'));
  await assert.rejects(openIdentityFiles(join(folder, 'mine'), [], Date.now()), (cause: Error) => {
    for (const told of [mine('ca.crt'), mine('ca.key'), 'do not belong together', 'remove both']) assert.ok(cause.message.includes(told), cause.message);
    return true;
  });
  assert.equal(readFileSync(mine('ca.crt'), 'utf8'), before);
  for (const file of ['ca.crt', 'ca.key']) await unlink(mine(file));
  await openIdentityFiles(join(folder, 'mine'), [], Date.now());
});

test('a token or a key for tokens that is none is not replaced: who starts the server is told which file it is', async () => {
  for (const [file, text] of [['admin.token', '\n'], ['admin.token', 'a,b'], ['admin.token', 'a b'], ['admin.token', 'a"b'], ['sa.key', ''], ['sa.key', 'a key']] as const) {
    const at = await started('spoilt');
    writeFileSync(at(file), text);
    await assert.rejects(openIdentityFiles(join(folder, 'spoilt'), [], Date.now()), (cause: Error) => cause.message.startsWith(`${at(file)} holds no `) && cause.message.includes('remove the file'));
    assert.equal(readFileSync(at(file), 'utf8'), text);
    await unlink(at(file));
  }
});

test('what is there and cannot be read is not made anew', async () => {
  const at = await started('closed');
  for (const file of ['ca.key', 'admin.token', 'sa.key']) {
    await unlink(at(file));
    await mkdir(at(file));
    await assert.rejects(openIdentityFiles(join(folder, 'closed'), [], Date.now()), { code: 'EISDIR', syscall: 'read' });
    await rm(at(file), { recursive: true });
    await openIdentityFiles(join(folder, 'closed'), [], Date.now());
  }
});

test('nothing stays of a private text that cannot be put in its place', async () => {
  await mkdir(join(folder, 'outside', 'taken'), { recursive: true });
  await assert.rejects(writePrivate(join(folder, 'outside', 'taken'), 'secret'), { code: 'EISDIR' });
  assert.deepEqual(await readdir(join(folder, 'outside')), ['taken']);
});

test('a private file that a link leads to is written where it is', async () => {
  const at = (name: string): string => join(folder, 'linked', name);
  await mkdir(at('elsewhere'), { recursive: true });
  writeFileSync(at('elsewhere/config'), 'old', { mode: 0o644 });
  await symlink('elsewhere/config', at('config'));
  await writePrivate(at('config'), 'new');
  assert.equal((await lstat(at('config'))).isSymbolicLink(), true);
  assert.deepEqual([readFileSync(at('elsewhere/config'), 'utf8'), (await stat(at('elsewhere/config'))).mode & 0o777], ['new', 0o600]);
  assert.deepEqual(await readdir(at('elsewhere')), ['config']);
});

test('a private text is not written into a file that somebody has prepared for it', async () => {
  const at = (name: string): string => join(folder, 'prepared', name);
  await mkdir(at(''), { recursive: true });
  writeFileSync(at('theirs'), '', { mode: 0o666 });
  await symlink('theirs', at(`mine.${process.pid}.tmp`));
  await writePrivate(at('mine'), 'secret');
  assert.equal(readFileSync(at('theirs'), 'utf8'), '');
  assert.deepEqual([readFileSync(at('mine'), 'utf8'), (await lstat(at('mine'))).isFile(), (await stat(at('mine'))).mode & 0o777], ['secret', true, 0o600]);
});

test('whatever step is the last one before the end of a process, a pair belongs together or counts as missing', async () => {
  const at = await started('cut', Date.now() - 340 * DAY_MS);
  const pair = { cert: 'new', key: 'new' };
  const [crt, key] = [readFileSync(at('apiserver.crt')), readFileSync(at('apiserver.key'))];
  for (let steps = 0; ; steps++) {
    await Promise.all([files.writeFile(at('apiserver.crt'), crt), files.writeFile(at('apiserver.key'), key)]);
    const isWhole = await cutOff(steps, () => writePair(join(folder, 'cut', 'pki'), 'apiserver', pair));
    const left = await readPair(join(folder, 'cut', 'pki'), 'apiserver');
    assert.ok(left === undefined || (left.cert === pair.cert) === (left.key === pair.key), `after ${steps} steps`);
    if (isWhole) break;
  }
});

test('a serving certificate is exchanged in time before its end, by one process for all', async () => {
  const startMs = Date.now();
  const open = () => openIdentityFiles(join(folder, 'long'), ['extra.example'], startMs);
  const [one, other] = [await open(), await open()];
  const daysLater = (days: number): number => startMs + days * DAY_MS;
  assert.equal(await one.servingAt(daysLater(330)), one.serving);
  const next = await one.servingAt(daysLater(336));
  const { validTo, subjectAltName } = new X509Certificate(next.cert);
  assert.ok(Date.parse(validTo) > daysLater(336 + 360), validTo);
  assert.match(subjectAltName ?? '', /extra\.example/);
  assert.deepEqual(await other.servingAt(daysLater(336)), next);
  assert.deepEqual(await readPair(join(folder, 'long', 'pki'), 'apiserver'), next);
  assert.equal(await one.servingAt(daysLater(337)), next);
});

/** Runs `work` in a process that ends after so many changes of the folder; false: it was not done by then. */
async function cutOff(steps: number, work: () => Promise<unknown>): Promise<boolean> {
  let left = steps;
  let last: Promise<void> = Promise.resolve();
  const { rename, rm: remove } = files;
  const or =
    <A extends unknown[]>(change: (...asked: A) => Promise<void>) =>
    (...asked: A): Promise<void> =>
      left-- > 0 ? (last = change(...asked)) : last.then(() => Promise.reject(new Error('the process has ended')));
  const mocks = [mock.method(files, 'rename', or(rename)), mock.method(files, 'rm', or(remove))];
  syncBuiltinESMExports();
  try {
    await work();
    return true;
  } catch {
    return false;
  } finally {
    for (const one of mocks) one.mock.restore();
    syncBuiltinESMExports();
  }
}
