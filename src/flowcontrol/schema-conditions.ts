import type { FlowClasses } from './flow-classes.ts';
import type { SchemaSpec } from './schema-rules.ts';

/** The condition that a schema's status should have. */
export interface SchemaCondition {
  readonly type: 'Dangling';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Schemas whose `Dangling` condition is missing or wrong. */
export function staleConditions(classes: FlowClasses): readonly (readonly [name: string, condition: SchemaCondition])[] {
  return [...classes.schemaObjects].flatMap((object) => {
    const wanted = conditionOf(object.spec, classes);
    const present = object.status?.conditions?.find(({ type }) => type === wanted.type);
    const isCurrent = present?.status === wanted.status && present.message === wanted.message && present.reason === wanted.reason;
    return isCurrent ? [] : [[object.metadata.name ?? '', wanted] as const];
  });
}

function conditionOf(spec: SchemaSpec | undefined, classes: FlowClasses): SchemaCondition {
  const name = spec?.priorityLevelConfiguration?.name ?? '';
  const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(name)}`;
  return classes.hasLevel(name)
    ? { type: 'Dangling', status: 'False', reason: 'Found', message: `${reference} and it exists` }
    : { type: 'Dangling', status: 'True', reason: 'NotFound', message: `${reference} but there is no such object` };
}

