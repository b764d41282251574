import type { Socket } from 'node:net';
import { join } from 'node:path';
import { deferred } from '#base';
import { StorageFailure } from '../../../engine.ts';
import { FILE } from '../database.ts';
import type { House } from '../house.ts';
import { callOn } from '../life-sign.ts';
import { readOwner, type Owner } from '../owner.ts';
import { encodeFrame, FrameReader, type Told } from './frames.ts';

/**
 * Opens the file beside the process that writes to it, which writes nothing in that moment. Returns the line to that process, which goes on
 * when it is asked for something or the line is closed; undefined: it is gone, or going. Throws what `open` throws, and `StorageFailure`.
 */
export async function visit({ place, gate }: Pick<House, 'place' | 'gate'>, owner: Owner, open: () => void): Promise<Socket | undefined> {
  if (owner.socket === undefined) {
    throw new StorageFailure('unavailable', `process ${owner.pid} writes to the store ${join(place, FILE)} and cannot be asked to wait: stop it first`);
  }
  const socket = await callOn(place, owner.socket);
  if (socket === undefined) return undefined;
  try {
    if (!(await isHeld(socket))) return undefined;
    // Whoever follows the owner passes the gate as well.
    const isOpen = gate.pass(() => {
      if (readOwner(place)?.id !== owner.id) return false;
      open();
      return true;
    });
    if (isOpen) return socket;
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
  socket.destroy();
  return undefined;
}

/** Asks the owner to write nothing. */
async function isHeld(socket: Socket): Promise<boolean> {
  const answer = deferred<boolean>();
  const reader = new FrameReader<Told>();
  const hear = (chunk: Uint8Array): void => {
    try {
      for (const { message } of reader.read(chunk)) answer.resolve(message.tell === 'held');
    } catch {
      answer.resolve(false);
    }
  };
  const end = (): void => answer.resolve(false);
  socket.on('data', hear);
  socket.on('error', end);
  socket.on('close', end);
  for (const part of encodeFrame({ message: { ask: 'hold' } })) socket.write(part);
  const held = await answer.promise;
  socket.off('data', hear);
  socket.off('error', end);
  socket.off('close', end);
  if (!held) socket.destroy();
  return held;
}
