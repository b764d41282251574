import { AUTHENTICATED_GROUP, MASTERS_GROUP, UNAUTHENTICATED_GROUP } from '#api';
import { isDeepEqual } from '#base';
import type { FieldErrors } from '#errors';

const group = (name: string) => ({ kind: 'Group', group: { name } });
const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

/** Specs of the mandatory flow schemas, by name: the server relies on them, so that they are fixed. */
export const MANDATORY_FLOW_SCHEMAS = {
  exempt: {
    priorityLevelConfiguration: { name: 'exempt' },
    matchingPrecedence: 1,
    rules: [{ subjects: [group(MASTERS_GROUP)], ...EVERYTHING }],
  },
  'catch-all': {
    priorityLevelConfiguration: { name: 'catch-all' },
    matchingPrecedence: 10_000,
    distinguisherMethod: { type: 'ByUser' },
    rules: [{ subjects: [group(UNAUTHENTICATED_GROUP), group(AUTHENTICATED_GROUP)], ...EVERYTHING }],
  },
};

/** Those of the mandatory priority levels. */
export const MANDATORY_PRIORITY_LEVELS = {
  exempt: { type: 'Exempt' },
  'catch-all': { type: 'Limited', limited: { assuredConcurrencyShares: 5, limitResponse: { type: 'Reject' } } },
};

/** Checks that the spec of a mandatory object is unchanged. `at`: the path of the spec. */
export function validateMandatory(mandatory: Readonly<Record<string, object>>, name: string, spec: object, at: FieldErrors): void {
  if (Object.hasOwn(mandatory, name) && !isDeepEqual(spec, mandatory[name])) at.invalid(spec, `spec of '${name}' must equal the fixed value`);
}
