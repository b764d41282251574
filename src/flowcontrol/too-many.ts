import type { Reply } from '#request';

const BODY = new TextEncoder().encode('Too many requests, please try again later.\n');

/** The answer to what is not let in. Clients come back after a second. */
export const tooMany = (): Reply => ({
  status: 429,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', 'retry-after': '1' },
  body: BODY,
});
