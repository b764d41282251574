import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { systemClock } from '#base';
import { FIRST_PROCESS, NO_NAMESPACES } from '../test-support.ts';
import { unfinishedPath } from './unfinished.ts';

const folders: string[] = [];
const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'orch-unfinished-'));
  folders.push(folder);
  return folder;
};

describe('an unfinished backup', () => {
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  it('of another container has another name, and is left alone there, though its process has the same id', { skip: NO_NAMESPACES }, async () => {
    const folder = await makeFolder();
    const program = `
      const { unfinishedPath } = await import(${JSON.stringify(new URL('./unfinished.js', import.meta.url).href)});
      const path = await unfinishedPath(${JSON.stringify(join(folder, 'store.backup'))}, 'partial');
      (await import('node:fs')).writeFileSync(path, String(process.pid), { flag: 'wx' });
      console.log('written');
      process.stdin.resume();
    `;
    // Both at once: the system gives the number of a namespace that is gone to the next one.
    const makers = [1, 2].map(() => spawn('unshare', [...FIRST_PROCESS, process.execPath, '--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] }));
    await Promise.all(makers.map(({ stdout }) => once(stdout, 'data')));
    assert.equal((await readdir(folder)).length, 2);
    await Promise.all(makers.map((maker) => (maker.stdin.end(), once(maker, 'exit'))));
  });

  it('of another world, or of a program that did not name worlds, is removed when it was not written to for more than an hour', async () => {
    const folder = await makeFolder();
    const { pid: gone } = spawnSync('true');
    const makers = [`0123456789ab-${gone}`, `0123456789ab-${process.pid}`, `${gone}`, `${process.pid}`];
    const longAgo = (systemClock.nowMs() - 61 * 60_000) / 1_000;
    const lately = (systemClock.nowMs() - 59 * 60_000) / 1_000;
    for (const maker of makers) {
      for (const [place, at] of [['old', longAgo], ['new', lately]] as const) {
        await writeFile(join(folder, `${place}.partial-${maker}`), '');
        await utimes(join(folder, `${place}.partial-${maker}`), at, at);
      }
    }
    // Folders: what is written into a file of theirs does not change them.
    for (const [maker, at] of [['0123456789ab-1', lately], ['0123456789ab-2', longAgo]] as const) {
      const made = join(folder, `store.restoring-${maker}`);
      await mkdir(made);
      await writeFile(join(made, 'orch.mdb'), '');
      await utimes(join(made, 'orch.mdb'), at, at);
      await utimes(made, longAgo, longAgo);
    }
    for (const place of ['old', 'new']) await unfinishedPath(join(folder, place), 'partial');
    await unfinishedPath(join(folder, 'store'), 'restoring');
    assert.deepEqual((await readdir(folder)).sort(), [...makers.map((maker) => `new.partial-${maker}`), 'store.restoring-0123456789ab-1'].sort());
  });
});
