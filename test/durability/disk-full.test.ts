import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { backUp, checkStore } from '#server';
import { openEngine } from '#storage';
import { NO_SQLITE } from './no-sqlite.ts';

const PROGRAM = fileURLToPath(new URL('./small-disk.js', import.meta.url));
const MOUNT = 'mount -t tmpfs -o size=12m none "$0"';
const NO_MOUNT = spawnSync('unshare', ['-rm', 'sh', '-c', MOUNT, tmpdir()]).status === 0 ? false : 'this machine lets nobody mount a small disk';

interface Seen {
  readonly created: number;
  readonly refused: { readonly status: number; readonly message: string };
  readonly again: Seen['refused'];
  readonly read: number;
  readonly list: number;
  readonly afterwards: number;
  readonly last: number;
  readonly warnings: readonly string[];
}

describe('a server on a full disk', () => {
  const folders: string[] = [];
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  for (const { scheme, skip } of [
    { scheme: 'lmdb', skip: NO_MOUNT },
    { scheme: 'sqlite', skip: NO_MOUNT === false ? NO_SQLITE : NO_MOUNT },
  ]) {
    it(`on ${scheme} refuses writes, says why, goes on reading, and writes again when there is room`, { skip }, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'orch-full-'));
      folders.push(folder);
      // What was on the small disk is copied out before it goes away with its namespace.
      const script = `${MOUNT} && "$1" "$2" ${scheme} "$0" && cp -r "$0/store" "$3"`;
      const kept = `${folder}.kept`;
      folders.push(kept);
      const child = spawn('unshare', ['-rm', 'sh', '-c', script, folder, process.execPath, PROGRAM, kept], { stdio: ['ignore', 'pipe', 'ignore'] });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
      assert.equal(await new Promise((resolve) => child.once('close', resolve)), 0);
      const seen = JSON.parse(output.slice(output.lastIndexOf('\n{') + 1)) as Seen;
      const refusal = { status: 503, message: 'the store has no space left: nothing can be written until there is some, reads go on' };
      assert.ok(seen.created > 20, `${seen.created} were created`);
      assert.deepEqual([seen.refused, seen.again, seen.read, seen.list, seen.afterwards, seen.last], [refusal, refusal, 200, 200, 201, 200]);
      assert.match(seen.warnings.join('\n'), /has no space left \(.*\): make room[^]*can be written again/);
      const checked = await checkStore(`${scheme}://${kept}`, () => {});
      assert.deepEqual(checked.problems, []);
    });
  }
});

describe('a restore onto a disk that is too small', () => {
  for (const { scheme, skip } of [
    { scheme: 'lmdb', skip: NO_MOUNT },
    { scheme: 'sqlite', skip: NO_MOUNT === false ? NO_SQLITE : NO_MOUNT },
  ]) {
    it(`of ${scheme} says so, and leaves nothing`, { skip }, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'orch-full-'));
      t.after(() => rm(folder, { recursive: true }));
      const store = `${scheme}://${folder}/store`;
      const engine = await openEngine(store);
      for (let i = 0; i < 40; i++) assert.ok((await engine.commit({ key: `/${i}`, expect: 0, value: Buffer.from(JSON.stringify('x'.repeat(400_000))) })).done);
      await engine.close();
      await backUp(store, `${folder}/backup`, 0, () => {});
      const script = `${MOUNT} && "$1" dist/bin/orch.js restore "$2" --store=${scheme}://"$0"/new; echo "$? $(ls "$0")"`;
      // The mount hides what is in the folder: the backup is read through another one.
      const mount = await mkdtemp(join(tmpdir(), 'orch-full-'));
      t.after(() => rm(mount, { recursive: true }));
      const { stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', script, mount, process.execPath, `${folder}/backup`], { encoding: 'utf8' });
      assert.match(stderr, /^orch: .*(no room for the store|cannot be written)/m);
      assert.doesNotMatch(stderr, /Uncaught|node:internal/);
      assert.equal(stdout.trim(), '1');
    });
  }
});
