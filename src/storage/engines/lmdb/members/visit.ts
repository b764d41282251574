import type { Socket } from 'node:net';
import { join } from 'node:path';
import { deferred } from '#base';
import { StorageFailure } from '../../../engine.ts';
import { FILE } from '../database.ts';
import type { House } from '../house.ts';
import { callOn } from '../life-sign.ts';
import { ifStill, type Owner } from '../owner.ts';
import type { Told } from './frames.ts';
import { hear, say } from './line.ts';

/**
 * Opens the file while the process that writes to it holds its writes. Returns the connection to that process, which resumes writing at the next request
 * or when the connection closes; undefined: it has ended, or is ending. Throws what `open` throws, and `StorageFailure`.
 */
export async function visit(house: Pick<House, 'place' | 'gate'>, owner: Owner, open: () => void): Promise<Socket | undefined> {
  const { place } = house;
  if (owner.socket === undefined) {
    throw new StorageFailure('unavailable', `process ${owner.pid} writes to the store ${join(place, FILE)} and cannot be asked to wait: stop it first`);
  }
  const socket = await callOn(place, owner.socket);
  if (socket === undefined) return undefined;
  try {
    if (!(await isHeld(socket))) return undefined;
    // A successor of the owner must pass the gate too, so it cannot start writing meanwhile.
    if (ifStill(owner, house, open)) return socket;
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
  const stop = hear<Told>(socket, ({ message }) => answer.resolve(message.tell === 'held'));
  const end = (): void => answer.resolve(false);
  socket.on('close', end);
  say(socket, { message: { ask: 'hold', pid: process.pid } });
  const held = await answer.promise;
  stop();
  socket.off('close', end);
  if (!held) socket.destroy();
  return held;
}
