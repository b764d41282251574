import { PLAIN_TEXT, type Reply } from '#request';

const HEADERS = { ...PLAIN_TEXT, 'retry-after': '1' };
const BODY = new TextEncoder().encode('Too many requests, please try again later.\n');

/** The response to rejected requests. Clients retry after a second. */
export const tooMany = (): Reply => ({ status: 429, headers: HEADERS, body: BODY });
