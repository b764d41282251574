import type { RequestLimits } from '#endpoints';

/** Bounds on what clients can ask for. @spec 8 */
export const LIMITS: RequestLimits = {
  maxBodyBytes: 3 * 1024 * 1024,
  minWatchSeconds: 1800,
  maxWatchBufferBytes: 16 * 1024 * 1024,
};

/** Requests slower than this are logged. */
export const SLOW_REQUEST_MS = 1000;
