import type { CertificateSigningRequest } from '#kinds';

/** What has become of a request. Where several hold, the last one in this order does. */
export type RequestState = 'pending' | 'approved' | 'denied' | 'failed' | 'issued';

type Condition = NonNullable<CertificateSigningRequest['status']['conditions']>[number];

interface Care {
  /** Whether a built-in signer signs it. */
  readonly isToBeSigned: boolean;
  /** Deleted so long after the condition, or after the request was made; undefined: not by its age. */
  readonly kept?: { readonly since: 'creation' | 'Approved' | 'Denied' | 'Failed'; readonly forMs: number };
}

const HOUR_MS = 3_600_000;

/** What the controllers do about a request in each state. An approved request waits for its signer, however long that takes. */
export const CARE: Readonly<Record<RequestState, Care>> = {
  pending: { isToBeSigned: false, kept: { since: 'creation', forMs: 24 * HOUR_MS } },
  approved: { isToBeSigned: true },
  denied: { isToBeSigned: false, kept: { since: 'Denied', forMs: HOUR_MS } },
  failed: { isToBeSigned: false, kept: { since: 'Failed', forMs: HOUR_MS } },
  issued: { isToBeSigned: false, kept: { since: 'Approved', forMs: HOUR_MS } },
};

/** Where a request stands. One that has a certificate is issued, whatever its conditions say. */
export function stateOf({ status }: CertificateSigningRequest): RequestState {
  if (status.certificate) return 'issued';
  if (conditionOf(status, 'Failed') !== undefined) return 'failed';
  if (conditionOf(status, 'Denied') !== undefined) return 'denied';
  return conditionOf(status, 'Approved') === undefined ? 'pending' : 'approved';
}

/** When the request has been kept long enough; undefined: its age does not matter. */
export function keptUntilMs({ metadata, status }: CertificateSigningRequest, { kept }: Care): number | undefined {
  if (kept === undefined) return undefined;
  const since = kept.since === 'creation' ? metadata.creationTimestamp : conditionOf(status, kept.since)?.lastUpdateTime;
  return since ? Date.parse(since) + kept.forMs : undefined;
}

const conditionOf = ({ conditions }: CertificateSigningRequest['status'], type: string): Condition | undefined =>
  (conditions ?? []).find((one) => one.type === type && one.status === 'True');
