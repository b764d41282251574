import type { Socket } from 'node:net';
import { join } from 'node:path';
import { FILE } from '../database.ts';
import { connectTo } from '../liveness-socket.ts';
import type { LongWait } from '../long-wait.ts';
import type { Owner } from '../owner.ts';

/** Connects to the process that writes to the store of a folder, by its socket. undefined: it has ended, or cannot be reached, which `wait` tells then. */
export async function callWriter(folder: string, owner: Owner, name: string, wait: LongWait): Promise<Socket | undefined> {
  const line = await connectTo(folder, name);
  if (typeof line !== 'string') return line;
  wait.for(`${writerOf(folder, owner)}, cannot be reached by ${join(folder, name)} (${line}): see to it that this process can connect to it, or end it`);
  return undefined;
}

/**
 * Resolves as `answer` does, which comes over `socket` from the process that writes to the store of a folder; undefined: that one takes nobody in, since it
 * is about to end or has just begun. When `wait.stop` aborts, the connection is destroyed.
 */
export async function answerOf<T>(answer: Promise<T | undefined>, socket: Socket, folder: string, owner: Owner, wait: LongWait): Promise<T | undefined> {
  wait.for(silentWriter(folder, owner));
  const leave = (): void => void socket.destroy();
  wait.stop?.addEventListener('abort', leave);
  const given = await answer.finally(() => wait.stop?.removeEventListener('abort', leave));
  if (given === undefined) wait.for(`${writerOf(folder, owner)}, takes nobody in: it is about to end, or has just begun`);
  else wait.over();
  return given;
}

/** What to tell of the process that writes to the store of a folder when it does not answer. */
export const silentWriter = (folder: string, owner: Owner): string => `${writerOf(folder, owner)}, does not answer: continue it or end it`;

const writerOf = (folder: string, { pid }: Owner): string => `process ${pid}, which writes to the store ${join(folder, FILE)}`;
