import type { HttpAnswer, HttpClient, HttpRequest } from '#transport';

/** How requests reach a server: over HTTPS (`exchange-http`) or within the process (`exchange-local`). */
export interface Exchange extends Pick<HttpClient, 'request' | 'stream' | 'close'> {
  /** The server's name in messages. Absent: this process. */
  readonly origin?: string;
  /** The events of a watch as values, in batches, where the server provides them; shared with it, so they must not be changed. */
  readonly events?: (request: HttpRequest) => Promise<HttpAnswer | { readonly events: AsyncIterable<readonly unknown[]> }>;
}
