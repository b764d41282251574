import type { CertificateSigningRequest } from '#kinds';

/** The state of a request. Where several apply, the last one in this order counts. */
export type RequestState = 'pending' | 'approved' | 'denied' | 'failed' | 'issued';

type Condition = NonNullable<CertificateSigningRequest['status']['conditions']>[number];

interface Care {
  /** Whether a built-in signer signs it. */
  readonly isToBeSigned: boolean;
  /** When the request is deleted, counted from the condition or from creation; undefined: not by age. */
  readonly kept?: { readonly since: 'creation' | 'Approved' | 'Denied' | 'Failed'; readonly forMs: number };
}

const HOUR_MS = 3_600_000;

/** What controllers do with a request in each state. An approved request waits for its signer indefinitely. */
export const CARE: Readonly<Record<RequestState, Care>> = {
  pending: { isToBeSigned: false, kept: { since: 'creation', forMs: 24 * HOUR_MS } },
  approved: { isToBeSigned: true },
  denied: { isToBeSigned: false, kept: { since: 'Denied', forMs: HOUR_MS } },
  failed: { isToBeSigned: false, kept: { since: 'Failed', forMs: HOUR_MS } },
  issued: { isToBeSigned: false, kept: { since: 'Approved', forMs: HOUR_MS } },
};

/** The state of a request. One with a certificate is issued, whatever its conditions are. */
export function stateOf({ status }: CertificateSigningRequest): RequestState {
  if (status.certificate) return 'issued';
  if (conditionOf(status, 'Failed') !== undefined) return 'failed';
  if (conditionOf(status, 'Denied') !== undefined) return 'denied';
  return conditionOf(status, 'Approved') === undefined ? 'pending' : 'approved';
}

/** When the request is deleted for its age; undefined: never. */
export function keptUntilMs({ metadata, status }: CertificateSigningRequest, { kept }: Care): number | undefined {
  if (kept === undefined) return undefined;
  const since = kept.since === 'creation' ? metadata.creationTimestamp : conditionOf(status, kept.since)?.lastUpdateTime;
  return since ? Date.parse(since) + kept.forMs : undefined;
}

const conditionOf = ({ conditions }: CertificateSigningRequest['status'], type: string): Condition | undefined =>
  (conditions ?? []).find((one) => one.type === type && one.status === 'True');
