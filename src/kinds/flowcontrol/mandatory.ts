import { AUTHENTICATED_GROUP, MASTERS_GROUP, UNAUTHENTICATED_GROUP } from '#api';
import { isDeepEqual } from '#base';
import type { FieldErrors } from '#errors';

const group = (name: string): object => ({ kind: 'Group', group: { name } });
const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

/** Mandatory flow schemas: the server relies on them, so that their spec is fixed. */
export const MANDATORY_FLOW_SCHEMAS: ReadonlyMap<string, object> = new Map([
  [
    'exempt',
    {
      priorityLevelConfiguration: { name: 'exempt' },
      matchingPrecedence: 1,
      rules: [{ subjects: [group(MASTERS_GROUP)], ...EVERYTHING }],
    },
  ],
  [
    'catch-all',
    {
      priorityLevelConfiguration: { name: 'catch-all' },
      matchingPrecedence: 10_000,
      distinguisherMethod: { type: 'ByUser' },
      rules: [{ subjects: [group(UNAUTHENTICATED_GROUP), group(AUTHENTICATED_GROUP)], ...EVERYTHING }],
    },
  ],
]);

export const MANDATORY_PRIORITY_LEVELS: ReadonlyMap<string, object> = new Map([
  ['exempt', { type: 'Exempt' }],
  ['catch-all', { type: 'Limited', limited: { assuredConcurrencyShares: 5, limitResponse: { type: 'Reject' } } }],
]);

/** Checks that the spec of a mandatory object is unchanged. `at`: the path of the spec. */
export function validateMandatory(mandatory: ReadonlyMap<string, object>, name: string, spec: object, at: FieldErrors): void {
  const fixed = mandatory.get(name);
  if (fixed !== undefined && !isDeepEqual(spec, fixed)) at.invalid(spec, `spec of '${name}' must equal the fixed value`);
}
