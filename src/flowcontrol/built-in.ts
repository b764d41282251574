import { MASTERS_GROUP } from '#api';
import type { LevelSpec } from './level-config.ts';
import type { SchemaSpec } from './schema-rules.ts';

const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

/** Used where the stored objects of these names are missing: administrators are never limited, and every request matches some schema. */
export const BUILT_IN_LEVELS: Readonly<Record<string, LevelSpec>> = {
  exempt: { type: 'Exempt' },
  'catch-all': { type: 'Limited', limited: { assuredConcurrencyShares: 5, limitResponse: { type: 'Reject' } } },
};

export const BUILT_IN_SCHEMAS: Readonly<Record<string, SchemaSpec>> = {
  exempt: {
    priorityLevelConfiguration: { name: 'exempt' },
    matchingPrecedence: 1,
    rules: [{ subjects: [{ kind: 'Group', group: { name: MASTERS_GROUP } }], ...EVERYTHING }],
  },
  'catch-all': {
    priorityLevelConfiguration: { name: 'catch-all' },
    matchingPrecedence: 10_000,
    distinguisherMethod: { type: 'ByUser' },
    rules: [{ subjects: [{ kind: 'User', user: { name: '*' } }], ...EVERYTHING }],
  },
};
