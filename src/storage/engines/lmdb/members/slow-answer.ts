import type { Socket } from 'node:net';
import { join } from 'node:path';
import { steady, systemClock } from '#base';
import type { Waiting } from '../../../engine.ts';
import { FILE } from '../database.ts';
import { HELD_LONG_MS } from '../limits.ts';
import type { Owner } from '../owner.ts';

/**
 * Resolves as `answer` does, which comes over `socket` from the process that writes to the store of a folder: there is no time limit, since that one may
 * be stopped and go on later. Tells once that it is waited for. When `waiting.stop` aborts, the connection is destroyed.
 */
export async function slowAnswer<T>(answer: Promise<T>, socket: Socket, folder: string, owner: Owner, waiting: Waiting): Promise<T> {
  const { tell, stop, clock = systemClock } = waiting;
  const inTime = steady(clock).after(HELD_LONG_MS, () => tell?.(`still waiting: ${silentWriter(folder, owner)}`));
  const leave = (): void => void socket.destroy();
  stop?.addEventListener('abort', leave);
  try {
    return await answer;
  } finally {
    inTime();
    stop?.removeEventListener('abort', leave);
  }
}

/** What to tell of the process that writes to the store of a folder when it does not answer. */
export const silentWriter = (folder: string, { pid }: Owner): string => `process ${pid}, which writes to the store ${join(folder, FILE)}, does not answer: continue it or end it`;
