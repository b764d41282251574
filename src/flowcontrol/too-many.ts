import { PLAIN_TEXT, type Reply } from '#request';

const HEADERS = { ...PLAIN_TEXT, 'retry-after': '1' };
const BODY = new TextEncoder().encode('Too many requests, please try again later.\n');

/** The answer to what is not let in. Clients come back after a second. */
export const tooMany = (): Reply => ({ status: 429, headers: HEADERS, body: BODY });
