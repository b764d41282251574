import type { IncomingMessage } from 'node:http';
import { failureOf } from './failure.ts';

/** The body of a response of `origin` as it arrives. Leaving the loop early destroys the connection. Throws `TransportFailure`. */
export async function* readChunks(message: IncomingMessage, origin: string): AsyncIterable<Uint8Array> {
  try {
    for await (const chunk of message) yield chunk as Uint8Array;
  } catch (cause) {
    throw failureOf(cause, origin);
  }
}
