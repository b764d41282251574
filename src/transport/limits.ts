/** The line and the headers of an answer; longer ones are a failure. Node by itself reads 16 KiB, which servers behind proxies exceed. */
export const MAX_HEAD_BYTES = 1024 * 1024;
