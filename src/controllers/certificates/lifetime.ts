/** Clocks of those who check the certificate may be behind by so much. */
const BACKDATE_MS = 5 * 60_000;
/** Certificates that live no longer are not cut short for having begun in the past. */
const SHORT_MS = 8 * 3_600_000;
const SHORTEST_MS = 10 * 60_000;

export interface Life {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * From when to when a certificate is valid that is signed now: as long as was asked for, but not longer than the setting allows, and never
 * longer than its authority.
 * @spec 2.12
 */
export function lifeOf(expirationSeconds: number | undefined, longestMs: number, nowMs: number, authorityEndsMs: number): Life {
  const askedMs = expirationSeconds === undefined ? longestMs : Math.max(expirationSeconds * 1000, SHORTEST_MS);
  const ttlMs = Math.min(askedMs, longestMs);
  const endMs = nowMs + ttlMs - (ttlMs < SHORT_MS ? 0 : BACKDATE_MS);
  return { notBefore: new Date(nowMs - BACKDATE_MS), notAfter: new Date(Math.min(endMs, authorityEndsMs)) };
}
