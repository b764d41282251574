import { isLongerThan, utf8Length } from '#base';
import { checkConditionReason, checkQualifiedName, report } from '#api';
import type { FieldErrors } from '#errors';
import { t } from '#schema';

/** A condition in the form that all newer groups share. */
export class Condition extends t.message('apis/meta/v1.Condition', {
  type: t.string(1).required(),
  status: t.string(2).required(),
  observedGeneration: t.int64(3),
  lastTransitionTime: t.time(4).required(),
  reason: t.string(5).required(),
  message: t.string(6).required(),
}) {}

const STATUSES = ['False', 'True', 'Unknown'];
const MAX_REASON = 1024;
const MAX_MESSAGE = 32 * 1024;

/** Validates conditions: each is complete, and each type occurs once. */
export function validateConditions(conditions: readonly Condition[], at: FieldErrors): void {
  const types = new Set<string>();
  for (const [position, condition] of conditions.entries()) {
    const here = at.index(position);
    if (types.has(condition.type)) here.child('type').duplicate(condition.type);
    types.add(condition.type);
    validateCondition(condition, here);
  }
}

function validateCondition(condition: Condition, at: FieldErrors): void {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition;
  report(at.child('type'), type, checkQualifiedName(type));
  if (!STATUSES.includes(status)) at.child('status').notSupported(status, STATUSES);
  if (observedGeneration < 0) at.child('observedGeneration').invalid(observedGeneration, 'must be greater than or equal to zero');
  if (!lastTransitionTime) at.child('lastTransitionTime').required('must be set');
  validateReason(reason, at.child('reason'));
  if (utf8Length(message) > MAX_MESSAGE) at.child('message').tooLong('', MAX_MESSAGE);
}

function validateReason(reason: string, at: FieldErrors): void {
  if (reason === '') at.required('must be set');
  else report(at, reason, checkConditionReason(reason));
  if (isLongerThan(reason, MAX_REASON)) at.tooLong(reason, MAX_REASON);
}
