import type { FieldErrors } from '#errors';
import type { LimitedLevel, LimitResponse, PriorityLevelSpec, Queuing } from './priority-level-messages.ts';

const MAX_QUEUES = 10_000_000;
/** Length of the hash from which shuffle sharding deals hands of queues. */
const MAX_HASH_BITS = 60;
/** The level whose requests are never queued. */
const EXEMPT = 'exempt';

export function validatePriorityLevelSpec(name: string, { type, limited }: PriorityLevelSpec, at: FieldErrors): void {
  if ((name === EXEMPT) !== (type === 'Exempt')) at.child('type').invalid(type, `type must be 'Exempt' if and only if name is '${EXEMPT}'`);
  const place = at.child('limited');
  if (type === 'Exempt') {
    if (limited !== undefined) place.forbidden('must be nil if the type is not Limited');
  } else if (type !== 'Limited') at.child('type').notSupported(type, ['Exempt', 'Limited']);
  else if (limited === undefined) place.required('must not be empty when type is Limited');
  else validateLimited(limited, place);
}

function validateLimited({ assuredConcurrencyShares: shares, limitResponse }: LimitedLevel, at: FieldErrors): void {
  if (shares <= 0) at.child('assuredConcurrencyShares').invalid(shares, 'must be positive');
  validateResponse(limitResponse, at.child('limitResponse'));
}

function validateResponse({ type, queuing }: LimitResponse, at: FieldErrors): void {
  const place = at.child('queuing');
  if (type === 'Reject') {
    if (queuing !== undefined) place.forbidden('must be nil if limited.limitResponse.type is not Limited');
  } else if (type !== 'Queue') at.child('type').notSupported(type, ['Queue', 'Reject']);
  else if (queuing === undefined) place.required('must not be empty if limited.limitResponse.type is Limited');
  else validateQueuing(queuing, place);
}

function validateQueuing({ queues, handSize, queueLengthLimit }: Queuing, at: FieldErrors): void {
  if (queueLengthLimit <= 0) at.child('queueLengthLimit').invalid(queueLengthLimit, 'must be positive');
  if (queues <= 0) at.child('queues').invalid(queues, 'must be positive');
  else if (queues > MAX_QUEUES) at.child('queues').invalid(queues, `must not be greater than ${MAX_QUEUES}`);
  const place = at.child('handSize');
  if (handSize <= 0) place.invalid(handSize, 'must be positive');
  else if (handSize > queues) place.invalid(handSize, `should not be greater than queues (${queues})`);
  else if (bitsToDeal(queues, handSize) > MAX_HASH_BITS) place.invalid(handSize, `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_HASH_BITS}`);
}

/** Bits that tell all hands apart, as kube-apiserver estimates them: as if every queue of a hand were dealt from the whole deck. */
const bitsToDeal = (queues: number, handSize: number): number => Math.ceil(Math.log2(queues) * handSize);
