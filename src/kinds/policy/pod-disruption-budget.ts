import { defineKind, validateLabelSelector, type ObjectOf } from '#api';
import { goStruct, type FieldErrors, type GoValue } from '#errors';
import { validateAtMostAll, validateCountOrPercent } from '../apps/count-or-percent.ts';
import { requireNotNegative } from '../value-checks.ts';
import { goPointer } from '../go-values.ts';
import { validateConditions } from './condition.ts';
import { PodDisruptionBudgetV1, PodDisruptionBudgetV1beta1, type PodDisruptionBudgetSpec, type PodDisruptionBudgetStatus } from './disruption-budget-body.ts';
import { selectAsSent, selectAsV1, selectAsV1beta1 } from './empty-selector.ts';

const amount = (value: number | string | undefined): string => (value === undefined ? 'N/A' : String(value));

export const PodDisruptionBudget = defineKind(PodDisruptionBudgetV1, {
  group: 'policy',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
  shortNames: ['pdb'],
  scope: 'Namespaced',
  versions: {
    v1: { schema: PodDisruptionBudgetV1, up: selectAsSent },
    v1beta1: {
      schema: PodDisruptionBudgetV1beta1,
      up: selectAsV1,
      down: selectAsV1beta1,
      deprecated: { since: '1.21', goneIn: '1.25', use: 'v1' },
    },
  },
  storage: 'v1',
  knownStorage: 'v1beta1',
  subresources: { status: { verbs: ['get', 'patch', 'update'], writes: ['status'] } },
  createOnUpdate: false,
  nameForm: 'path-segment',
  takesAnyFinalizer: true,
  repeatsMetadataRules: [],
  unconditionalUpdate: false,
  generation: ['spec'],
  columns: [
    { name: 'Min Available', type: 'string', description: 'How many pods must stay, as count or share.', cell: ({ spec }) => amount(spec.minAvailable) },
    { name: 'Max Unavailable', type: 'string', description: 'How many pods may be away, as count or share.', cell: ({ spec }) => amount(spec.maxUnavailable) },
    { name: 'Allowed Disruptions', type: 'integer', description: 'How many pods may be evicted at this moment.', cell: ({ status }) => status.disruptionsAllowed },
  ],
  validate(next, _live, at, { subresource, version }) {
    if (subresource === 'status') validateStatus(next.status, at.child('status'), version);
    else validateSpec(next.spec, at.child('spec'));
  },
});
export type PodDisruptionBudget = ObjectOf<typeof PodDisruptionBudget>;

function goSpec({ minAvailable, selector, maxUnavailable }: PodDisruptionBudgetSpec): GoValue {
  return goStruct('policy.PodDisruptionBudgetSpec', {
    MinAvailable: goPointer('intstr.IntOrString', minAvailable),
    Selector: goPointer('v1.LabelSelector', selector),
    MaxUnavailable: goPointer('intstr.IntOrString', maxUnavailable),
  });
}

function validateSpec(spec: PodDisruptionBudgetSpec, at: FieldErrors): void {
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) at.invalid(goSpec(spec), 'minAvailable and maxUnavailable cannot be both set');
  for (const name of ['minAvailable', 'maxUnavailable'] as const) {
    validateCountOrPercent(spec[name], at.child(name));
    validateAtMostAll(spec[name], at.child(name));
  }
  validateLabelSelector(spec.selector, at.child('selector'));
}

/** Validates the status; v1beta1 accepts negative numbers. */
function validateStatus(status: PodDisruptionBudgetStatus, at: FieldErrors, version: string | undefined): void {
  validateConditions(status.conditions ?? [], at.child('conditions'));
  if (version === 'v1beta1') return;
  for (const name of ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const) {
    requireNotNegative(status[name], at.child(name));
  }
}
