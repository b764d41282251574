/** Exponential backoff: the delay doubles after every failure, between bounds. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The delay after the given number of failures, from 1 on, in milliseconds. */
export const backoffMs = ({ firstMs, longestMs }: Backoff, failures: number): number => Math.min(firstMs * 2 ** Math.min(failures - 1, 40), longestMs);
