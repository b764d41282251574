import { checkLabelValue, checkQualifiedName, report } from '#api';
import type { FieldErrors } from '#errors';
import { goToleration } from '../../go-values.ts';
import type { Toleration } from './toleration.ts';

const OPERATORS = ['Equal', 'Exists'];
const TAINT_EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

export function validateTolerations(tolerations: readonly Toleration[], at: FieldErrors): void {
  for (const [position, toleration] of tolerations.entries()) validateToleration(toleration, at.index(position));
}

function validateToleration(toleration: Toleration, at: FieldErrors): void {
  const { key, operator = '', effect = '', tolerationSeconds } = toleration;
  if (key) report(at.child('key'), key, checkQualifiedName(key));
  else if (operator !== 'Exists') {
    at.child('operator').invalid(operator, 'operator must be Exists when `key` is empty, which means "match all values and all keys"');
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    at.child('effect').invalid(effect, `effect must be 'NoExecute' when \`tolerationSeconds\` is set`);
  }
  validateOperator(toleration, at.child('operator'));
  const effects: readonly string[] = TAINT_EFFECTS;
  if (effect !== '' && !effects.includes(effect)) at.child('effect').notSupported(effect, effects);
}

/** Without an operator `Equal` applies. */
function validateOperator(toleration: Toleration, at: FieldErrors): void {
  const { operator = '', value = '' } = toleration;
  if (operator === 'Equal' || operator === '') {
    const faults = checkLabelValue(value);
    if (faults !== undefined) at.invalid(value, faults.join(';'));
  } else if (operator !== 'Exists') at.notSupported(operator, OPERATORS);
  else if (value !== '') at.invalid(goToleration(toleration), `value must be empty when \`operator\` is 'Exists'`);
}
