import type { IncomingMessage } from 'node:http';
import { failureOf, TransportFailure } from './failure.ts';

/** The body of a response of `origin` as it arrives. Leaving the loop early destroys the connection. Throws `TransportFailure`. */
export async function* readChunks(message: IncomingMessage, origin: string): AsyncIterable<Uint8Array> {
  try {
    for await (const chunk of message) yield chunk as Uint8Array;
  } catch (cause) {
    throw failureOf(cause, origin);
  }
}

/** A body of `origin` as a whole. Throws `TransportFailure` where it is longer than `maxBytes`. */
export async function readAll(body: AsyncIterable<Uint8Array>, maxBytes: number, origin: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new TransportFailure('too-large', `${origin} answered with more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
