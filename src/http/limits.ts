import type { ResetLimits } from './reset-budget.ts';

/** Limits on what one client may use. Every member has a default; tests shorten the times. */
export interface ConnectionLimits extends ResetLimits {
  /** TLS handshake. */
  readonly handshakeTimeoutMs: number;
  /** From the first byte of an HTTP/1.1 request (or the opening of the connection) to the end of its headers. */
  readonly headersTimeoutMs: number;
  /** From the first byte of a request to the end of its body. */
  readonly requestTimeoutMs: number;
  /** A connection without a request is closed after this time. */
  readonly idleTimeoutMs: number;
  /** A connection whose client takes no byte of a pending response for this time is closed. */
  readonly stallTimeoutMs: number;
  /** How often HTTP/1.1 connections are checked for the timeouts above. */
  readonly checkIntervalMs: number;
  /** All header names and values of one request. */
  readonly maxHeaderBytes: number;
  readonly maxHeaders: number;
  readonly maxConcurrentStreams: number;
  /** Memory nghttp2 may use for one HTTP/2 connection. */
  readonly maxSessionMegabytes: number;
}

/** The limits of a listener that is given no others. */
export const DEFAULT_LIMITS: ConnectionLimits = {
  handshakeTimeoutMs: 10_000,
  headersTimeoutMs: 32_000,
  requestTimeoutMs: 60_000,
  idleTimeoutMs: 90_000,
  stallTimeoutMs: 30_000,
  checkIntervalMs: 5_000,
  maxHeaderBytes: 65_536,
  maxHeaders: 1_000,
  maxConcurrentStreams: 250,
  maxSessionMegabytes: 64,
  maxResets: 600,
  resetsPerSecond: 32,
};
