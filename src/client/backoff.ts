/** Twice as long after every failure, between bounds. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** `failures` counts from 1. */
export const backoffMs = ({ firstMs, longestMs }: Backoff, failures: number): number => Math.min(firstMs * 2 ** Math.min(failures - 1, 40), longestMs);
