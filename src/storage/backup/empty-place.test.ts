import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openEngine } from '../open.ts';
import { NO_MOUNTS } from '../opened-file-suite.ts';
import { StorageFailure } from '../storage-failure.ts';
import { backUp, checkStore, restore } from './maintenance.ts';

const quiet = (): void => {};
const folders: string[] = [];
const fails = (code: string, words: RegExp) => (error: unknown) => error instanceof StorageFailure && error.code === code && words.test(error.message);

describe('an empty folder into which a store is restored', () => {
  let backup = '';
  let damaged = '';
  const makeFolder = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'orch-place-'));
    folders.push(folder);
    return folder;
  };

  before(async () => {
    const folder = await makeFolder();
    const engine = await openEngine(`lmdb://${folder}/store`);
    await engine.commit({ key: '/registry/a', expect: 0, value: Buffer.from('{}') });
    await engine.close();
    ({ path: backup } = await backUp(`lmdb://${folder}/store`, folder, 0, quiet));
    damaged = join(folder, 'damaged');
    await writeFile(damaged, (await readFile(backup)).subarray(0, -1));
  });
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  it('may be one to which a link leads, which stays', async () => {
    const [folder, disk] = [await makeFolder(), await makeFolder()];
    await mkdir(join(disk, 'real'));
    await symlink(join(disk, 'real'), join(folder, 'link'));
    await restore(backup, `lmdb://${folder}/link`, 0, quiet);
    assert.equal((await lstat(join(folder, 'link'))).isSymbolicLink(), true);
    assert.equal((await checkStore(`lmdb://${disk}/real`, quiet)).count, 1);
    assert.deepEqual([await readdir(folder), await readdir(disk)], [['link'], ['real']]);
  });

  it('may be the one in which the program runs', async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, 'here'));
    const ran = process.cwd();
    process.chdir(join(folder, 'here'));
    try {
      await restore(backup, 'lmdb://.', 0, quiet);
    } finally {
      process.chdir(ran);
    }
    assert.equal((await checkStore(`lmdb://${folder}/here`, quiet)).count, 1);
    assert.deepEqual(await readdir(folder), ['here']);
  });

  it('may be missing, with the folders that its path enters and leaves again', async () => {
    const folder = await makeFolder();
    await restore(backup, `lmdb://${folder}/a/b/../c`, 0, quiet);
    assert.equal((await checkStore(`lmdb://${folder}/a/c`, quiet)).count, 1);
    assert.deepEqual(await readdir(join(folder, 'a')), ['c']);
  });

  it('stays the same folder where the backup turns out to be damaged', async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, 'new'), { mode: 0o750 });
    const { ino, mode } = await stat(join(folder, 'new'));
    await assert.rejects(restore(damaged, `lmdb://${folder}/new`, 0, quiet), fails('corrupt', /is damaged/));
    const left = await stat(join(folder, 'new'));
    assert.deepEqual([left.ino, left.mode, await readdir(folder)], [ino, mode, ['new']]);
  });

  it('is not one to which a link leads in vain', async () => {
    const folder = await makeFolder();
    await symlink('nowhere', join(folder, 'link'));
    await assert.rejects(restore(damaged, `lmdb://${folder}/link`, 0, quiet), fails('unavailable', /link is a link that leads to no folder: make that folder first/));
    assert.deepEqual(await readdir(folder), ['link']);
  });

  it('is not one on which a file system is mounted: this is said before anything is written', { skip: NO_MOUNTS }, async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, 'mounted'));
    const program = `
      const { restore } = await import(${JSON.stringify(new URL('./maintenance.js', import.meta.url).href)});
      const [place, damaged, whole] = process.argv.slice(1);
      for (const [backup, into] of [[damaged, place], [whole, place + '/store']]) {
        await restore(backup, 'lmdb://' + into, 0, () => {}).then(({ count }) => console.log(count), ({ code, message }) => console.log(code, message));
      }
    `;
    const mounted = `mount -t tmpfs none "$0" && exec "$1" --input-type=module -e "$2" "$0" "$3" "$4"`;
    const { stdout } = spawnSync('unshare', ['-rm', 'sh', '-c', mounted, join(folder, 'mounted'), process.execPath, program, damaged, backup], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    assert.match(stdout, /^unavailable the folder \S+\/mounted cannot be replaced: a file system is mounted there, restore into a folder in it\n1\n$/);
    assert.deepEqual(await readdir(folder), ['mounted']);
  });
});
