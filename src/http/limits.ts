import type { ResetLimits } from './reset-budget.ts';

/** Limits on what one client may use. Tests shorten the times. */
export interface ConnectionLimits extends ResetLimits {
  /** TLS handshake. */
  readonly handshakeTimeoutMs: number;
  /** From the first byte of an HTTP/1.1 request (or the opening of the connection) to the end of its headers. */
  readonly headersTimeoutMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestTimeoutMs: number;
  /** A connection without a request is closed after this time. */
  readonly idleTimeoutMs: number;
  /** A client from which nothing came for this time is asked whether it is still there: with TCP keepalive, on HTTP/2 with a PING, too. */
  readonly probeAfterMs: number;
  /**
   * A response is cut off whose client takes this long for what was written of it at once, about a quarter megabyte; on HTTP/1.1 with its connection. An
   * HTTP/2 connection that the server has ended is closed after this time at the latest.
   */
  readonly stallTimeoutMs: number;
  /** An HTTP/1.1 connection whose client is still sending when it is to be closed is closed after this time at the latest. */
  readonly lingerMs: number;
  /** How often HTTP/1.1 connections are checked for the timeouts above. */
  readonly checkIntervalMs: number;
  /** All header names and values of one request. */
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
  /** An HTTP/1.1 connection is closed on which this many requests wait for those before them. */
  readonly maxWaiting: number;
  readonly maxConcurrentStreams: number;
  /** The likelihood that a request over HTTP/2 is one of the last on its connection: its client connects anew, perhaps with another server. Absent: 0. */
  readonly goawayChance?: number;
  /** Memory nghttp2 may use for one HTTP/2 connection. */
  readonly maxSessionMegabytes: number;
}

/** The limits of a listener that is given no others. */
export const DEFAULT_LIMITS: ConnectionLimits = {
  handshakeTimeoutMs: 10_000,
  headersTimeoutMs: 32_000,
  requestTimeoutMs: 60_000,
  idleTimeoutMs: 90_000,
  probeAfterMs: 90_000,
  stallTimeoutMs: 30_000,
  lingerMs: 500,
  checkIntervalMs: 5_000,
  maxHeaderBytes: 65_536,
  maxHeaders: 1_000,
  maxWaiting: 1_000,
  maxConcurrentStreams: 250,
  maxSessionMegabytes: 64,
  maxResets: 600,
  resetsPerSecond: 32,
};
