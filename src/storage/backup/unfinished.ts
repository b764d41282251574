import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { systemClock } from '#base';
import { world } from '../world.ts';

/** What processes of other worlds make is left alone until it was not written to for so long: whether they live cannot be seen from here. */
const LEFT_ALONE_MS = 60 * 60 * 1000;
/** A world and a process id; older programs gave the process id alone. */
const MAKER = /^(?:([\da-f]{12})-)?([1-9]\d*)$/;

/**
 * The path at which to build a file or folder that is renamed to `place` when it is complete: beside it, with this process in its name, and with the
 * world in which the process has its id, as containers and machines that share a folder give out the same ids. Removes unfinished ones of processes
 * that have ended, or that had the same id, and those of other worlds that were not written to for an hour. Throws the error of the system.
 */
export async function unfinishedPath(place: string, making: string): Promise<string> {
  const folder = dirname(place);
  const beginning = `${basename(place)}.${making}-`;
  const here = worldHere();
  // A folder that does not exist yet has no entries.
  for (const name of await readdir(folder).catch(() => [])) {
    const maker = name.startsWith(beginning) ? MAKER.exec(name.slice(beginning.length)) : null;
    if (maker === null) continue;
    const path = join(folder, name);
    const isLeft = maker[1] === here ? hasEnded(Number(maker[2])) : (await idleMs(path)) > LEFT_ALONE_MS;
    if (isLeft) await rm(path, { recursive: true, force: true });
  }
  return join(folder, `${beginning}${here}-${process.pid}`);
}

/** The world of this process in a few characters. Where the system does not tell it, the name of the machine tells worlds apart. */
const worldHere = (): string => createHash('sha256').update(world() || hostname()).digest('hex').slice(0, 12);

function hasEnded(pid: number): boolean {
  if (pid === process.pid) return true;
  try {
    process.kill(pid, 0);
    return false;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** For how long nothing was written to a file, or to a folder and the files in it; 0: it is gone. */
async function idleMs(path: string): Promise<number> {
  const inside = await readdir(path).catch(() => []);
  const found = await Promise.all([path, ...inside.map((name) => join(path, name))].map((one) => stat(one).catch(() => undefined)));
  const nowMs = systemClock.nowMs();
  return Math.min(...found.map((one) => nowMs - (one?.mtimeMs ?? nowMs)));
}
