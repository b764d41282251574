import { isJsonObject, setMember } from '#base';
import type { PathElement } from '../facets/decode-failure.ts';
import { UnknownPaths } from '../facets/unknown-fields.ts';
import type { Structural } from './structural.ts';
import { OBJECT_HEAD } from '../object-head.ts';

/** The position of the walk, and what it dropped. */
interface Course {
  readonly path: PathElement[];
  readonly dropped: UnknownPaths;
}

export interface Pruned {
  /** The pruned value, a copy; parts that the schema preserves may be shared with the original. */
  readonly value: unknown;
  /** Paths of unknown fields, in document order, up to a maximum. */
  readonly dropped: readonly string[];
}

/**
 * Removes fields that the schema does not declare. `hasHead`: the value is an API object, whose apiVersion, kind and metadata are not in the schema.
 * @spec 4.9
 */
export function prune(schema: Structural, value: unknown, { hasHead = false }: { readonly hasHead?: boolean } = {}): Pruned {
  const course: Course = { path: [], dropped: new UnknownPaths() };
  return { value: visit(hasHead && !schema.isEmbedded ? { ...schema, isEmbedded: true } : schema, value, course), dropped: course.dropped.found };
}

function visit(schema: Structural | undefined, value: unknown, course: Course): unknown {
  if (Array.isArray(value)) return visitItems(itemSchema(schema), value, course);
  return isJsonObject(value) ? visitMembers(schema, value, course) : value;
}

function visitItems(schema: Structural | undefined, value: readonly unknown[], course: Course): unknown {
  const at = course.path.length;
  const items = value.map((item, position) => {
    course.path[at] = position;
    return visit(schema, item, course);
  });
  course.path.length = at;
  return items;
}

/** In a list that preserves unknown fields, undeclared items are kept with all their content. */
function itemSchema(schema: Structural | undefined): Structural | undefined {
  if (schema?.preservesUnknown !== true) return schema?.items;
  return schema.items === undefined ? ANYTHING : { ...schema.items, preservesUnknown: true };
}

function visitMembers(schema: Structural | undefined, value: Record<string, unknown>, course: Course): Record<string, unknown> {
  if (schema === ANYTHING) return value;
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    course.path.push(name);
    visitMember(schema, kept, name, value[name], course);
    course.path.pop();
  }
  return kept;
}

function visitMember(schema: Structural | undefined, kept: Record<string, unknown>, name: string, member: unknown, course: Course): void {
  const property = schema?.properties.get(name);
  if (schema?.isEmbedded === true && OBJECT_HEAD.has(name)) setMember(kept, name, member);
  else if (property !== undefined) setMember(kept, name, visit(property, member, course));
  else if (schema?.additional !== undefined) setMember(kept, name, visit(schema.additional === 'any' ? undefined : schema.additional, member, course));
  else if (schema?.preservesUnknown === true) setMember(kept, name, member);
  else course.dropped.add(course.path);
}

const ANYTHING: Structural = {
  props: {},
  properties: new Map(),
  additional: undefined,
  items: undefined,
  fallback: undefined,
  isNullable: true,
  preservesUnknown: true,
  isWithinUnknown: true,
  isEmbedded: false,
};
