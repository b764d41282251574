import { TransportFailure } from './failure.ts';

/** Makes a call at the first of several addresses that does not refuse the connection: where it is refused, nothing was sent. Rejects as the last call. */
export async function atOneOf<A, R>([first, ...others]: readonly [A, ...A[]], call: (address: A) => Promise<R>): Promise<R> {
  try {
    return await call(first);
  } catch (cause) {
    const [next, ...rest] = others;
    if (next === undefined || !(cause instanceof TransportFailure) || cause.code !== 'refused') throw cause;
    return atOneOf([next, ...rest], call);
  }
}
