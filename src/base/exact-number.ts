/**
 * A 64-bit integer as a number. One that needs more than 53 bits becomes the nearest safe integer: any other number may be written with more than 64
 * bits, and then no client reads it.
 */
export const exactNumber = (integer: number | bigint): number => Math.min(Math.max(Number(integer), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
