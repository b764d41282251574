import type { Readable } from 'node:stream';
import { clearTimeout, setTimeout } from '#base';
import { badRequest, tooLarge } from '#errors';
import { CollectedPieces } from './collected-pieces.ts';

/** Bounds on the size of a body and the time it may take. */
export interface ReadBodyOptions {
  /** In bytes. */
  readonly limit: number;
  /** `Content-Length` as the client declared it. */
  readonly declaredLength: string | undefined;
  /** Absent where the source enforces a timeout itself. */
  readonly timeoutMs?: number;
}

/** A larger body is left to Node's stream, which stops reading from the connection until the stream is consumed. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** The body of all requests without one. */
export const NO_BODY: Uint8Array = new Uint8Array(0);
/** The error for a body of more than `limit` bytes. */
export const entityTooLarge = (limit: number): Error => tooLarge(`Request entity too large: limit is ${limit}`);
/** The error for a body whose sender disconnects before its end. */
export const bodyAborted = (): Error => badRequest('the request body broke off before its end');

/**
 * Reads all of `source` into one array. Rejects with `RequestEntityTooLarge` beyond the limit, without waiting for the rest, and with `BadRequest`
 * when the sender disconnects or is too slow.
 */
export function readBody(source: Readable, { limit, declaredLength, timeoutMs }: ReadBodyOptions): Promise<Uint8Array> {
  if (declaredLength !== undefined && Number(declaredLength) > limit) return Promise.reject(entityTooLarge(limit));
  // An empty body may have ended before a listener was added.
  if (source.readableEnded) return Promise.resolve(NO_BODY);
  return new Promise((resolve, reject) => {
    const collected = new CollectedPieces();
    const settle = (): void => {
      clearTimeout(timer);
      source.off('data', onData).off('end', onEnd).off('close', onBroken).off('error', onBroken);
    };
    const fail = (failure: Error): void => {
      settle();
      reject(failure);
    };
    const onData = (chunk: Uint8Array): void => {
      collected.add(chunk);
      if (collected.size > limit) fail(entityTooLarge(limit));
    };
    const onEnd = (): void => {
      settle();
      resolve(collected.concat());
    };
    const onBroken = (): void => fail(bodyAborted());
    const timer =
      timeoutMs === undefined ? undefined : setTimeout(() => fail(badRequest('the request body did not arrive in time')), timeoutMs).unref();
    source.on('data', onData).on('end', onEnd).on('close', onBroken).on('error', onBroken);
    if (source.destroyed) onBroken();
  });
}
