import type { CertificateSigningRequest } from '#kinds';

/** The state of a request. Where several apply, the last one in this order counts. */
export type RequestState = 'pending' | 'approved' | 'denied' | 'failed' | 'issued';

type Condition = NonNullable<CertificateSigningRequest['status']['conditions']>[number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The state of a request. One with a certificate is issued, whatever its conditions are. */
export function stateOf({ status }: CertificateSigningRequest): RequestState {
  if (status.certificate) return 'issued';
  if (conditionOf(status, 'Failed') !== undefined) return 'failed';
  if (conditionOf(status, 'Denied') !== undefined) return 'denied';
  return conditionOf(status, 'Approved') === undefined ? 'pending' : 'approved';
}

/**
 * When a request is deleted for its age: a day after its creation where nobody has said anything about it, an hour after the first of the conditions
 * that end it. Infinity: never. An approved request waits for its signer indefinitely, and one with conditions of others for these.
 */
export function keptUntilMs({ metadata, status }: CertificateSigningRequest): number {
  const { conditions = [], certificate } = status;
  if (conditions.length === 0) return afterMs(metadata.creationTimestamp, DAY_MS);
  const ending = conditions.filter(({ type }) => type === 'Denied' || type === 'Failed' || (type === 'Approved' && Boolean(certificate)));
  return Math.min(...ending.map(({ lastUpdateTime }) => afterMs(lastUpdateTime, HOUR_MS)));
}

const afterMs = (time: string | null | undefined, ms: number): number => (time ? Date.parse(time) + ms : Infinity);

const conditionOf = ({ conditions }: CertificateSigningRequest['status'], type: string): Condition | undefined =>
  (conditions ?? []).find((one) => one.type === type && one.status === 'True');
