import { defineKind, type ObjectOf } from '#api';
import type { FieldErrors } from '#errors';
import { t } from '#schema';

const POLICIES = ['PreemptLowerPriority', 'Never'] as const;

class Body extends t.message('scheduling/v1.PriorityClass', {
  value: t.int32(2).required(),
  globalDefault: t.bool(3),
  description: t.string(4),
  preemptionPolicy: t.maybe.enum(5, ...POLICIES).default('PreemptLowerPriority'),
}) {}

/** The built-in priority classes. */
export const SYSTEM_PRIORITY_CLASSES: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);

/** @spec 2.11 */
export const PriorityClass = defineKind(Body, {
  group: 'scheduling',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  shortNames: ['pc'],
  scope: 'Cluster',
  repeatsMetadataRules: ['change'],
  undeletable: { names: new Set(SYSTEM_PRIORITY_CLASSES.keys()), why: 'this is a system priority class and cannot be deleted' },
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: Body }, v1alpha1: { schema: Body } },
  // The generation is always 1: no change increments it.
  generation: [],
  columns: [
    { name: 'Value', type: 'integer', description: 'The priority that pods naming this class receive.', cell: ({ value }) => value },
    {
      name: 'Global-Default',
      type: 'boolean',
      description: 'Whether pods that name no class receive the priority of this one.',
      cell: ({ globalDefault }) => globalDefault ?? false,
    },
  ],
  validate(next, live, at) {
    if (live === undefined) {
      validateValue(next, at);
      validatePolicy(next.preemptionPolicy, at.child('preemptionPolicy'));
    } else {
      if (next.value !== live.value) at.child('Value').forbidden('may not be changed in an update.');
      if (next.preemptionPolicy !== live.preemptionPolicy)
        at.child('preemptionPolicy').invalid(next.preemptionPolicy, 'field is immutable');
    }
  },
});
export type PriorityClass = ObjectOf<typeof PriorityClass>;

const SYSTEM_PREFIX = 'system-';
const HIGHEST_USER_VALUE = 1_000_000_000;

function validateValue({ metadata, value, globalDefault }: PriorityClass, at: FieldErrors): void {
  const name = metadata.name ?? '';
  if (!name.startsWith(SYSTEM_PREFIX)) {
    if (value > HIGHEST_USER_VALUE) at.child('value').forbidden(`maximum allowed value of a user defined priority is ${HIGHEST_USER_VALUE}`);
    return;
  }
  const why = differsFromSystem(name, value, globalDefault);
  if (why !== undefined) at.child('metadata', 'name').forbidden(`priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${why}`);
}

function differsFromSystem(name: string, value: number, globalDefault: boolean | undefined): string | undefined {
  const known = SYSTEM_PRIORITY_CLASSES.get(name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function validatePolicy(policy: string | undefined, at: FieldErrors): void {
  if (policy === '') at.required();
  else if (policy !== undefined && !POLICIES.some((known) => known === policy)) at.notSupported(policy, POLICIES);
}
