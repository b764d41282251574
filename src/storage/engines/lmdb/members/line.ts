import type { Socket } from 'node:net';
import { setImmediate } from '#base';
import { encodeFrame, FrameReader, type Asked, type Frame, type Told } from './frames.ts';

/** Hears what the other side says; who talks otherwise is hung up on. Returns what ends the listening. */
export function hear<T extends Asked | Told>(socket: Socket, each: (frame: Frame<T>) => void): () => void {
  const reader = new FrameReader<T>();
  const read = (chunk: Uint8Array): void => {
    try {
      for (const frame of reader.read(chunk)) each(frame);
    } catch {
      socket.destroy();
    }
  };
  const fail = (): void => void socket.destroy();
  socket.on('data', read);
  socket.on('error', fail);
  return () => {
    socket.off('data', read);
    socket.off('error', fail);
  };
}

/** What is said in one turn leaves in one packet, and what is asked so is written in one transaction. Nothing happens on a line that is closed. */
export function say(socket: Socket, frame: Frame<Asked | Told>): void {
  if (socket.destroyed) return;
  if (socket.writableCorked === 0) {
    socket.cork();
    setImmediate(() => socket.uncork());
  }
  for (const part of encodeFrame(frame)) socket.write(part);
}
