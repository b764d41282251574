import type { HttpClient } from '#transport';

/** How requests reach a server: over HTTPS (`exchange-http`) or within the process (`exchange-local`). */
export type Exchange = Pick<HttpClient, 'request' | 'stream' | 'close'>;
