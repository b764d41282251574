import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Http1Message } from './http1-message.ts';

/** The response that a connection is busy with. */
export const busyWith = (socket: Socket): ServerResponse<Http1Message> | undefined =>
  (socket as Socket & { readonly _httpMessage?: ServerResponse<Http1Message> | null })._httpMessage ?? undefined;

/**
 * Calls `run` once the answers to all requests that have come whole have left: what comes behind them must not overtake them. Over TLS a client can have
 * an answer, and ask again, before Node hears that it was sent. Where the connection closes, `run` is never called.
 */
export function afterAnswers(socket: Socket, run: () => void): void {
  const response = busyWith(socket);
  if (response?.req.complete !== true) return run();
  // Node has gone on to the next response by then: it listens since the request came.
  response.once('finish', () => afterAnswers(socket, run));
}
