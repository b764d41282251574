import { OBJECT_HEAD } from '#schema';
import type { KindDefinition } from '#api';
import { pathOf } from './fieldpath/path.ts';
import { setOf, type FieldSet } from './fieldpath/set.ts';

/**
 * What a write through this path cannot change, and so cannot own: for the main resource what subresources write, for a subresource
 * everything it does not write.
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
  // Of custom resources no more is known than that: what else such a write cannot change it may own all the same.
  if (kind.isCustom === true && subresource === 'status') return setOf(pathOf('spec'));
  const { writes, keepsMetadata, unowned = [] } = kind.subresources?.[subresource] ?? {};
  const members = writes === undefined ? [] : Object.values(kind.versions).flatMap((version) => [...version.schema.type.fields.keys()]);
  const kept = members.filter((name) => !(writes ?? []).includes(name) && !OBJECT_HEAD.has(name));
  if (keepsMetadata === true) kept.push('metadata');
  return setOf(...[...kept, ...unowned].map((path) => pathOf(...path.split('.'))));
}
