import type { BackEnd } from '#transport';

/** The back end that a request is forwarded to, and how. */
export interface Destination {
  readonly backEnd: BackEnd;
  /** Path and query. */
  readonly path: string;
  /** Only upgrade requests are accepted. */
  readonly mustUpgrade: boolean;
  /** The API path below which the back end appears, for addresses inside of it; undefined: the back end may not redirect. */
  readonly base: string | undefined;
  /** Headers that replace those of the client by the same names. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Aborts the call, as the client does who disconnects. */
  readonly signal?: AbortSignal;
}
