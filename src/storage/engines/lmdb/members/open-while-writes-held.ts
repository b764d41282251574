import type { Socket } from 'node:net';
import { join } from 'node:path';
import { deferred } from '#base';
import { StorageFailure } from '../../../engine.ts';
import { FILE } from '../database.ts';
import type { OpenFolder } from '../open-folder.ts';
import { connectTo } from '../liveness-socket.ts';
import { ifStillOwnedBy, type Owner } from '../owner.ts';
import type { WriterMessage } from './frames.ts';
import { onFrames, sendFrame } from './frame-socket.ts';

/**
 * Opens the file while the process that writes to it holds its writes. Returns the connection to that process, which resumes writing at the next request
 * or when the connection closes; undefined: it has ended, or is ending. Throws what `open` throws, and `StorageFailure`.
 */
export async function openWhileWritesHeld(folder: Pick<OpenFolder, 'path' | 'lock'>, owner: Owner, open: () => void): Promise<Socket | undefined> {
  const { path } = folder;
  if (owner.socket === undefined) {
    throw new StorageFailure('unavailable', `process ${owner.pid} writes to the store ${join(path, FILE)} and cannot be asked to wait: stop it first`);
  }
  const socket = await connectTo(path, owner.socket);
  if (socket === undefined) return undefined;
  try {
    if (!(await isHeld(socket))) return undefined;
    // A successor of the owner must take the lock too, so it cannot start writing meanwhile.
    if (ifStillOwnedBy(owner, folder, open)) return socket;
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
  socket.destroy();
  return undefined;
}

/** Asks the owner to hold its writes. Whether it does; if not, the connection is destroyed. */
async function isHeld(socket: Socket): Promise<boolean> {
  const answer = deferred<boolean>();
  const stop = onFrames<WriterMessage>(socket, ({ message }) => answer.resolve(message.tell === 'held'));
  const end = (): void => answer.resolve(false);
  socket.on('close', end);
  sendFrame(socket, { message: { ask: 'hold', pid: process.pid } });
  const held = await answer.promise;
  stop();
  socket.off('close', end);
  if (!held) socket.destroy();
  return held;
}
