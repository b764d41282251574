import type { Socket } from 'node:net';
import { setImmediate } from '#base';
import { encodeFrame, FrameReader, type Asked, type Frame, type Told } from './frames.ts';

/** Calls `each` with every frame that a connection brings; destroys a connection whose bytes are not frames. Returns a function that stops it. */
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

/**
 * Sends a frame. Frames of one turn of the event loop are sent together, so that the writes among them share one transaction. Does nothing on a
 * destroyed connection.
 */
export function say(socket: Socket, frame: Frame<Asked | Told>): void {
  if (socket.destroyed) return;
  if (socket.writableCorked === 0) {
    socket.cork();
    setImmediate(() => socket.uncork());
  }
  for (const part of encodeFrame(frame)) socket.write(part);
}
