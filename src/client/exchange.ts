import type { HttpAnswer, HttpClient, HttpRequest } from '#transport';

/** How requests reach a server: over HTTPS (`exchange-http`) or within the process (`exchange-local`). */
export interface Exchange extends Pick<HttpClient, 'request' | 'stream' | 'close'> {
  /** How messages name the server. Absent: it is this one. */
  readonly origin?: string;
  /** The events of a watch in batches, where the server hands them over as values; shared with it, so that nobody may change them. */
  readonly events?: (request: HttpRequest) => Promise<HttpAnswer | { readonly events: AsyncIterable<readonly unknown[]> }>;
}
