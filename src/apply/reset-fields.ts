import { OBJECT_HEAD } from '#schema';
import type { KindDefinition } from '#api';
import { pathOf } from './fieldpath/path.ts';
import { setOf, type FieldSet } from './fieldpath/set.ts';

/**
 * The fields that a write through this path cannot change, and so cannot own: for the main resource those that subresources write, for a subresource
 * all that it does not write.
 * @spec 4.9
 */
export function resetFieldsOf(kind: KindDefinition, subresource: string): FieldSet {
  let sets = known.get(kind);
  if (sets === undefined) known.set(kind, (sets = new Map()));
  let set = sets.get(subresource);
  if (set === undefined) sets.set(subresource, (set = computeResetFields(kind, subresource)));
  return set;
}

const known = new WeakMap<KindDefinition, Map<string, FieldSet>>();

function computeResetFields(kind: KindDefinition, subresource: string): FieldSet {
  if (subresource === '') {
    const written = Object.values(kind.subresources ?? {}).flatMap((one) => one.writes ?? []);
    return setOf(...[...written, ...(kind.unowned ?? [])].map((name) => pathOf(name)));
  }
  // For custom resources that is all: what else such a write cannot change, it may own.
  if (kind.isCustom === true && subresource === 'status') return setOf(pathOf('spec'));
  const { writes, keepsMetadata, unowned = [] } = kind.subresources?.[subresource] ?? {};
  const members = writes === undefined ? [] : Object.values(kind.versions).flatMap((version) => [...version.schema.type.fields.keys()]);
  const kept = members.filter((name) => !(writes ?? []).includes(name) && !OBJECT_HEAD.has(name));
  if (keepsMetadata !== undefined) kept.push('metadata');
  return setOf(...[...kept, ...unowned].map((path) => pathOf(...path.split('.'))));
}
