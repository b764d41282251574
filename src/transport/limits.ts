/** Maximum size of a response's status line and headers. Node's default is 16 KiB, which servers behind proxies exceed. */
export const MAX_HEAD_BYTES = 1024 * 1024;
