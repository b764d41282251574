import { AUTHENTICATED_GROUP, MASTERS_GROUP, UNAUTHENTICATED_GROUP } from '#api';
import { isDeepEqual } from '#base';
import type { FieldErrors, GoValue } from '#errors';

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

/** Checks that the spec of a mandatory object is unchanged. `show`: the spec for the message. `at`: the path of the spec. */
export function validateMandatory<S extends object>(mandatory: Readonly<Record<string, object>>, name: string, spec: S, show: (spec: S) => GoValue, at: FieldErrors): void {
  if (Object.hasOwn(mandatory, name) && !isDeepEqual(spec, mandatory[name])) at.invalid(show(spec), `spec of '${name}' must equal the fixed value`);
}
