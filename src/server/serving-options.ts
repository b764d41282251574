import { compilePattern } from '#schema';

/** How long requests may take, and what answers carry for browsers. */
export interface ServingOptions {
  /** For requests that name no time of their own, and the most they may ask for. Default 60 s. */
  readonly requestTimeoutMs?: number;
  /** A watch that names no time ends after this long, plus up to as much again. Default 1,800 s. */
  readonly minWatchSeconds?: number;
  /** Requests at once on one connection of HTTP/2. Default 250. */
  readonly maxStreams?: number;
  /** How long events are kept. Default 1 hour. */
  readonly eventTtlSeconds?: number;
  /** Objects of a collection deleted at the same time in etcd: more than one are deleted in any order. Other stores always delete many, in order. Default 1. */
  readonly deletionWorkers?: number;
  /** Patterns in RE2 syntax: pages from origins that match one may call the API. Default: none. */
  readonly corsOrigins?: readonly string[];
  /** Of the header `Strict-Transport-Security`, as `max-age=31536000`. Default: no header. */
  readonly strictTransport?: readonly string[];
}

/** Whose pages may call the API. */
export interface OriginPattern {
  test(origin: string): boolean;
}

/** Longer ones are nobody's. */
const MAX_ORIGIN_LENGTH = 1_024;

/** Throws an `Error` that names the pattern that is none. */
export const readOrigins = (patterns: readonly string[]): readonly OriginPattern[] =>
  patterns.map((text) => {
    const pattern = compilePattern(text);
    if (pattern === undefined) throw new Error(`cors-allowed-origins: ${JSON.stringify(text)} is no regular expression`);
    return { test: (origin) => origin.length <= MAX_ORIGIN_LENGTH && pattern.matches(origin) };
  });
