import type { Loopback } from './loopback.ts';

/** Where and how an object is sent. */
export interface Sending {
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly object: object;
  /** Accepted status codes; others are failures. */
  readonly fine: readonly number[];
}

/** Creates or replaces an object as a client would. Throws an `Error` with the object's path and the response. */
export async function sendObject(loopback: Loopback, { method, path, object, fine }: Sending): Promise<void> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const answer = await loopback({ method, path, headers, body: JSON.stringify(object) });
  if (fine.includes(answer.status)) return;
  throw new Error(`cannot make ${JSON.stringify(object)}: ${answer.status} ${'body' in answer ? new TextDecoder().decode(answer.body) : ''}`);
}
