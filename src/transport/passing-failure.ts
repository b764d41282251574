import { TransportFailure } from './failure.ts';

/** Whether a response with this status is transient: the same call may succeed in a moment. */
export const asksForPatience = (status: number): boolean => status === 429 || status >= 500;

/** Whether a failure is transient: the connection broke, the server did not respond, or its status is transient. */
export const isPassing = (failure: unknown): boolean =>
  failure instanceof TransportFailure &&
  (failure.status === undefined ? failure.code === 'unreachable' || failure.code === 'timeout' : asksForPatience(failure.status));
