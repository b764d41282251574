import type { Socket } from 'node:net';
import { setImmediate } from '#base';
import { encodeFrame, FrameReader, type MemberRequest, type Frame, type WriterMessage } from './frames.ts';

/** Calls `each` with every frame that a connection brings; destroys a connection whose bytes are not frames. Returns a function that stops it. */
export function onFrames<T extends MemberRequest | WriterMessage>(socket: Socket, each: (frame: Frame<T>) => void): () => void {
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
export function sendFrame(socket: Socket, frame: Frame<MemberRequest | WriterMessage>): void {
  if (socket.destroyed) return;
  if (socket.writableCorked === 0) {
    socket.cork();
    setImmediate(() => socket.uncork());
  }
  for (const part of encodeFrame(frame)) socket.write(part);
}
