import { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from '#kinds';
import type { LevelSpec } from './level-config.ts';
import type { SchemaSpec } from './schema-rules.ts';

const { exempt, 'catch-all': catchAll } = MANDATORY_FLOW_SCHEMAS;

/** Used where the stored objects of these names are missing: administrators are never limited, and every request matches some schema. */
export const BUILT_IN_LEVELS: Readonly<Record<string, LevelSpec>> = MANDATORY_PRIORITY_LEVELS;

export const BUILT_IN_SCHEMAS: Readonly<Record<string, SchemaSpec>> = {
  exempt,
  // Other than the stored one it also takes users who are in neither group: nobody else would.
  'catch-all': { ...catchAll, rules: catchAll.rules.map((rule) => ({ ...rule, subjects: [{ kind: 'User', user: { name: '*' } }] })) },
};
