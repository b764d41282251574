import type { Socket } from 'node:net';
import { join } from 'node:path';
import { deferred } from '#base';
import { StorageFailure } from '../../../storage-failure.ts';
import { FILE } from '../database.ts';
import type { OpenFolder } from '../open-folder.ts';
import { isOpenHere } from '../open-here.ts';
import type { LongWait } from '../long-wait.ts';
import { ifStillOwnedBy, type Owner } from '../owner.ts';
import { world } from '../../../world.ts';
import type { WriterMessage } from './frames.ts';
import { answerOf, callWriter } from './call-writer.ts';
import { onFrames, sendFrame } from './frame-socket.ts';

/**
 * Opens the file while the process that writes to it holds its writes. Returns the connection to that process, which resumes writing at the next request
 * or when the connection closes; undefined: it has ended, is ending, or cannot be reached. Throws what `open` throws, the reason of `wait.stop`, and
 * `StorageFailure`, also where this process has the id that another one with the file open has in another container: nothing is held then.
 */
export async function openWhileWritesHeld(folder: Pick<OpenFolder, 'path' | 'lock'>, owner: Owner, open: () => void, wait: LongWait): Promise<Socket | undefined> {
  const { path } = folder;
  if (owner.socket === undefined) {
    throw new StorageFailure('unavailable', `process ${owner.pid} writes to the store ${join(path, FILE)} and cannot be asked to wait: stop it first`);
  }
  if (owner.pid === process.pid && owner.world !== world()) throw namesakeFailure(path, owner.pid);
  const socket = await callWriter(path, owner, owner.socket, wait);
  if (socket === undefined) return undefined;
  try {
    const answer = await answerOf(askToHold(socket, isOpenHere(path)), socket, path, owner, wait);
    if (answer === 'namesake') throw namesakeFailure(path, process.pid);
    if (answer !== 'held') return undefined;
    // A successor of the owner must take the lock too, so it cannot start writing meanwhile.
    if (await ifStillOwnedBy(owner, folder, open, wait.waiting)) return socket;
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
  socket.destroy();
  return undefined;
}

/** Asks the owner to hold its writes; undefined: it has ended, or is ending, and the connection is destroyed. */
async function askToHold(socket: Socket, hasOpen: boolean): Promise<'held' | 'namesake' | undefined> {
  const answer = deferred<'held' | 'namesake' | undefined>();
  const stop = onFrames<WriterMessage>(socket, ({ message: { tell } }) => answer.resolve(tell === 'held' || tell === 'namesake' ? tell : undefined));
  const end = (): void => answer.resolve(undefined);
  socket.on('close', end);
  sendFrame(socket, { message: { ask: 'hold', pid: process.pid, world: world(), hasOpen } });
  const told = await answer.promise;
  stop();
  socket.off('close', end);
  if (told === undefined) socket.destroy();
  return told;
}

/** LMDB knows processes by their ids alone: the second of two that have the same one can read nothing. */
function namesakeFailure(folder: string, pid: number): StorageFailure {
  const problem = `process ${pid} of another container has the store ${join(folder, FILE)} open, and this one is process ${pid} too: LMDB cannot tell them apart`;
  const instead = 'Run this in the container of the server (podman exec <container> …), or as a process with another id (podman run --init …)';
  return new StorageFailure('unavailable', `${problem}. ${instead}`);
}
