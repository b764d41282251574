import { TransportFailure } from './failure.ts';

/** Whether an answer with this status asks for patience: the same call may be answered otherwise in a moment. */
export const asksForPatience = (status: number): boolean => status === 429 || status >= 500;

/** Whether a call that failed may succeed in a moment: the connection broke, the other side was silent, or it asked for patience. */
export const isPassing = (failure: unknown): boolean =>
  failure instanceof TransportFailure &&
  (failure.status === undefined ? failure.code === 'unreachable' || failure.code === 'timeout' : asksForPatience(failure.status));
