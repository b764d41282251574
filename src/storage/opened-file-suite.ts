import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '#base';
import type { Driver } from './driver.ts';
import { HISTORY_SECONDS } from './engine-suite.ts';
import type { Change, Engine } from './engine.ts';
import { StorageFailure } from './storage-failure.ts';

/** When its file is moved away or replaced, an engine must refuse writes, which would be lost with the process, until the file is put back. */
export async function refusesWritesToMovedFile(driver: Driver, folder: string, file: string): Promise<void> {
  const said: string[] = [];
  const engine = await driver.open({ location: folder, historySeconds: HISTORY_SECONDS, clock: systemClock, log: (message) => void said.push(message) });
  const commit = (): Promise<unknown> => engine.commit({ key: '/a', expect: 0, value: new Uint8Array([1]) });
  const isRefused = (error: unknown): boolean => error instanceof StorageFailure && error.code === 'unavailable' && /not the file any more .* Put it back/.test(error.message);
  await rename(join(folder, file), join(folder, 'away'));
  await assert.rejects(commit(), isRefused);
  await writeFile(join(folder, file), 'another one');
  await assert.rejects(commit(), isRefused);
  await rename(join(folder, 'away'), join(folder, file));
  assert.deepEqual(await commit(), { done: true, revision: 2 });
  assert.deepEqual(said.map((message) => /not the file any more|can be written again/.exec(message)?.[0]), ['not the file any more', 'can be written again']);
  await engine.close();
}

/** Those who are behind get large values a few at a time: what they have not taken yet need not be in memory. */
export async function readsLargeChangesInPieces(engine: Engine): Promise<void> {
  const value = new Uint8Array(300_000);
  const count = 30;
  for (let revision = 1; revision <= count; revision++) await engine.commit({ key: '/a', expect: revision === 1 ? 0 : revision, value });
  const pieces: number[] = [];
  await new Promise<void>((resolve, reject) => {
    const changes = (batch: readonly Change[], upTo: number): void => {
      pieces.push(batch.length);
      if (upTo === count + 1) resolve();
    };
    engine.follow('/', 1, { changes, lost: reject }, new AbortController().signal);
  });
  assert.equal(pieces.reduce((sum, length) => sum + length, 0), count);
  assert.ok(Math.max(...pieces) < 6, `pieces of ${pieces.join()}`);
  await engine.close();
}

/** Why tests cannot mount file systems in a mount namespace of their own; false: they can. */
export const NO_MOUNTS = spawnSync('unshare', ['-rm', 'true']).status === 0 ? false : 'this machine lets nobody make namespaces';

/** When its file system becomes read-only, an engine must refuse writes, with a message that helps, until it is writable again; it can be closed on it, too. */
export function refusesWritesToReadOnlyFileSystem(driverModule: URL, folder: string): void {
  const program = `
    import { execFileSync } from 'node:child_process';
    const { driver } = await import(${JSON.stringify(driverModule.href)});
    const folder = ${JSON.stringify(folder)};
    const said = [];
    const clock = { nowMs: () => 0, after: () => () => {} };
    const open = () => driver.open({ location: folder, historySeconds: ${HISTORY_SECONDS}, clock, log: (message) => said.push(message) });
    const makeReadOnly = () => {
      execFileSync('mount', ['--bind', folder, folder]);
      execFileSync('mount', ['-o', 'remount,bind,ro', folder]);
    };
    const engine = await open();
    const commit = () => engine.commit({ key: '/a', expect: 0, value: Buffer.of(1) }).then(({ revision }) => revision, ({ code, message }) => code + ' ' + message);
    makeReadOnly();
    const refused = await commit();
    execFileSync('umount', [folder]);
    const taken = await commit();
    makeReadOnly();
    await engine.close();
    execFileSync('umount', [folder]);
    await (await open()).close();
    console.log(JSON.stringify([refused, taken, ...said]));
  `;
  const output = execFileSync('unshare', ['-rm', process.execPath, '--input-type=module', '-e', program], { encoding: 'utf8' });
  const [refused, taken, ...said] = JSON.parse(output.slice(output.lastIndexOf('\n[') + 1)) as readonly string[];
  assert.match(String(refused), /^unavailable .* takes no writes any more \(EROFS: .*until it can be written again$/);
  assert.equal(taken, 2);
  assert.deepEqual(said.map((message) => /no writes any more|can be written again$/.exec(message)?.[0]), ['no writes any more', 'can be written again']);
}
