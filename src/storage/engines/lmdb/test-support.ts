import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '#base';
import { HISTORY_SECONDS } from '../../engine-suite.ts';
import type { Engine } from '../../engine.ts';
import { FILE } from './database.ts';
import { driver } from './index.ts';
import { pageSpace } from './pages.ts';

export const openIn = (location: string, clock: Clock = systemClock): Promise<Engine> =>
  driver.open({ location, historySeconds: HISTORY_SECONDS, clock, log: () => {} });

/** What the check of a store finds wrong. */
export async function problemsIn(folder: string): Promise<readonly string[]> {
  const snapshot = await driver.maintenance!.snapshot(folder);
  const problems = [...snapshot.check()].filter((problem) => problem !== undefined);
  await snapshot.close();
  return problems;
}

/** Where the pages of a store end, and how much of its file lies behind them. */
export function spaceIn(folder: string): { readonly usedBytes: number; readonly aheadBytes: number } {
  const file = openSync(join(folder, FILE), 'r');
  const { usedBytes, fileBytes } = pageSpace(file);
  closeSync(file);
  return { usedBytes, aheadBytes: fileBytes - usedBytes };
}
