import { failureOf, givenUp } from './failure.ts';
import type { HttpClient, HttpRequest, HttpStream } from './http-request.ts';
import { readAll } from './read-chunks.ts';

/** Sends a request by other means than a connection of its own; resolves with the head of the response. Rejects when the signal of the request aborts. */
export type Send = (request: HttpRequest) => Promise<HttpStream>;

/** A client whose requests `send` sends, with the failures of one that connects to `origin`. Longer responses than `maxAnswerBytes` fail. */
export function sendingClient(origin: string, send: Send, maxAnswerBytes: number): Omit<HttpClient, 'stream'> {
  return {
    origin,
    async request(request) {
      try {
        const { chunks, ...head } = await send(request);
        return { ...head, body: await readAll(chunks, maxAnswerBytes, origin) };
      } catch (cause) {
        throw request.signal?.aborted === true ? givenUp(request.signal.reason, origin) : failureOf(cause, origin);
      }
    },
    close() {},
  };
}
