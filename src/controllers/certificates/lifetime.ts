/** How far clocks of verifiers may be behind. */
const BACKDATE_MS = 5 * 60_000;
/** Certificates up to this lifetime are not shortened because of the backdated start. */
const SHORT_MS = 8 * 3_600_000;
const SHORTEST_MS = 10 * 60_000;

export interface Life {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * The validity period of a certificate signed now: as long as requested, at most the configured maximum, and never longer than its authority.
 * @spec 2.12
 */
export function lifeOf(expirationSeconds: number | undefined, longestMs: number, nowMs: number, authorityEndsMs: number): Life {
  const askedMs = expirationSeconds === undefined ? longestMs : Math.max(expirationSeconds * 1000, SHORTEST_MS);
  const ttlMs = Math.min(askedMs, longestMs);
  const endMs = nowMs + ttlMs - (ttlMs < SHORT_MS ? 0 : BACKDATE_MS);
  return { notBefore: new Date(nowMs - BACKDATE_MS), notAfter: new Date(Math.min(endMs, authorityEndsMs)) };
}
