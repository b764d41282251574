import { compilePattern } from '#schema';

/** Timeouts of requests, and response headers for browsers. */
export interface ServingOptions {
  /** The timeout of requests without one of their own, and the longest they may ask for. Default 60 s. */
  readonly requestTimeoutMs?: number;
  /** The shortest timeout of a watch that asks for none; a random part of up to as much is added. Default 1,800 s. */
  readonly minWatchSeconds?: number;
  /** Concurrent requests on one HTTP/2 connection. Default 250. */
  readonly maxStreams?: number;
  /** The likelihood that a request over HTTP/2 sends its client to a new connection, so that clients spread over servers: from 0 to `MAX_GOAWAY_CHANCE`. Default 0. */
  readonly goawayChance?: number;
  /** How long events are kept; 0: until they are deleted. Default 1 hour. */
  readonly eventTtlSeconds?: number;
  /**
   * How many objects `deletecollection` deletes concurrently in etcd; more than one lose the order. Other engines always delete many at a time, in
   * order. Default 1.
   */
  readonly deletionWorkers?: number;
  /** Patterns in RE2 syntax: pages from origins that match one may call the API. Default: none. */
  readonly corsOrigins?: readonly string[];
  /** Of the header `Strict-Transport-Security`, as `max-age=31536000`. Default: no header. */
  readonly strictTransport?: readonly string[];
}

/** A pattern of origins whose pages may call the API. */
export interface OriginPattern {
  test(origin: string): boolean;
}

/** Longer origins match no pattern. */
const MAX_ORIGIN_LENGTH = 1_024;

/** Throws an `Error` that names the pattern that is none. */
export const readOrigins = (patterns: readonly string[]): readonly OriginPattern[] =>
  patterns.map((text) => {
    const pattern = compilePattern(text);
    if (pattern === undefined) throw new Error(`cors-allowed-origins: ${JSON.stringify(text)} is no regular expression`);
    return { test: (origin) => origin.length <= MAX_ORIGIN_LENGTH && pattern.matches(origin) };
  });

/** As in Kubernetes: with more, clients would do little but connect. */
export const MAX_GOAWAY_CHANCE = 0.02;

const DIRECTIVE = /^(?:max-age=\d+|includeSubDomains|preload)$/;

/** The directives of `Strict-Transport-Security`. Throws an `Error` that names the one that is none: browsers would pass over it, or over all. */
export function readDirectives(directives: readonly string[]): readonly string[] {
  const unknown = directives.find((directive) => !DIRECTIVE.test(directive));
  if (unknown !== undefined) throw new Error(`strict-transport-security-directives: ${JSON.stringify(unknown)} is not max-age=<seconds>, includeSubDomains or preload`);
  return directives;
}
