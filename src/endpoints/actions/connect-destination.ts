import type { BackEnd } from '#transport';

/** Where a request goes on to. */
export interface Destination {
  readonly backEnd: BackEnd;
  /** With query. */
  readonly path: string;
  /** Nothing but a request for another protocol makes sense there. */
  readonly mustUpgrade: boolean;
  /** The path of the API below which the back end appears, for redirects inside of it; undefined: it may not redirect. */
  readonly base: string | undefined;
  /** Sent in place of what the caller sent under these names. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}
