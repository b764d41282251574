import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolder } from './make-folder.ts';

test('a folder is made with all that it lies in, for its owner alone, and stays as it is where it is there', (t) => {
  const base = mkdtempSync(join(tmpdir(), 'orch-folder-'));
  t.after(() => rmSync(base, { recursive: true }));
  const folder = join(base, 'a', 'b', 'c');
  makeFolder(folder);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  chmodSync(folder, 0o750);
  makeFolder(`${folder}/`);
  assert.equal(statSync(folder).mode & 0o777, 0o750);
  symlinkSync(folder, join(base, 'link'));
  makeFolder(join(base, 'link', 'd'));
  assert.ok(statSync(join(folder, 'd')).isDirectory());
  writeFileSync(join(base, 'file'), '');
  for (const path of [join(base, 'file'), join(base, 'file', 'x')]) assert.throws(() => makeFolder(path), { code: /EEXIST|ENOTDIR/ });
});

test('where nothing can be made it says so, in the current folder too', { skip: process.platform === 'linux' ? false : 'there is no /proc', timeout: 60_000 }, () => {
  for (const path of ['/proc/x', '/proc/x/y', '/proc/1/x/y']) assert.throws(() => makeFolder(path), { syscall: 'mkdir' });
});
