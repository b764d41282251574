import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '#base';
import { HISTORY_SECONDS } from './engine-suite.ts';
import { StorageFailure, type Driver } from './engine.ts';

/** What an engine owes on a file that is moved away, or replaced, under it: no writes, which would be gone with the process, until it is put back. */
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
