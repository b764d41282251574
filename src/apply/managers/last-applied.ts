import { MAX_ANNOTATIONS_BYTES } from '#api';
import { canonicalJson, isJsonObject, type JsonObject, memberOf, parseJsonText, setMember, utf8Length } from '#base';
import type { MessageType } from '#schema';
import type { Asked } from '../config.ts';
import { EMPTY_SET, difference, type FieldSet } from '../fieldpath/set.ts';
import { changedPaths, compare } from '../typed/compare.ts';
import { misfitOf } from '../typed/misfit.ts';
import { structureOf } from '../typed/structure.ts';
import { toSet } from '../typed/to-set.ts';

/** The only applier that moves objects from client-side to server-side apply. */
export const UPGRADING_MANAGER = 'kubectl';

/** The value of the last-applied annotation of client-side apply; undefined when there is none. */
export function lastAppliedOf(object: JsonObject, annotation: string): string | undefined {
  const metadata = memberOf(object, 'metadata');
  const annotations = isJsonObject(metadata) ? memberOf(metadata, 'annotations') : undefined;
  const text = isJsonObject(annotations) ? memberOf(annotations, annotation) : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/**
 * The fields of the live object that client-side apply owns: those it set last and that have not changed since. Taking them over is not a conflict.
 * Returns no fields for an annotation that does not fit the type, or is of another version or kind than `live`.
 */
export function ownedByLastApplied(type: MessageType, live: JsonObject, text: string, { apiVersion, kind }: Asked): FieldSet {
  const structure = structureOf(type);
  try {
    const applied = parseJsonText(text);
    if (!isJsonObject(applied) || memberOf(applied, 'apiVersion') !== apiVersion || memberOf(applied, 'kind') !== kind) return EMPTY_SET;
    if (misfitOf(type, applied) !== undefined) return EMPTY_SET;
    return difference(toSet(structure, applied), changedPaths(compare(structure, applied, live)));
  } catch {
    return EMPTY_SET;
  }
}

/** A copy of `object` with the config as its last-applied annotation, or without the annotation if annotations would become too large. */
export function withLastApplied(object: JsonObject, annotation: string, config: JsonObject): JsonObject {
  const metadata = { ...(memberOf(object, 'metadata') as JsonObject) };
  const annotations = { ...(memberOf(metadata, 'annotations') as JsonObject | undefined) };
  setMember(annotations, annotation, `${canonicalJson(withoutAnnotation(config, annotation))}\n`);
  if (sizeOf(annotations) > MAX_ANNOTATIONS_BYTES) delete annotations[annotation];
  return { ...object, metadata: { ...metadata, annotations } };
}

/** The total size of annotations in bytes, as validation limits it. */
const sizeOf = (annotations: JsonObject): number =>
  Object.entries(annotations).reduce((size, [name, value]) => size + utf8Length(name) + (typeof value === 'string' ? utf8Length(value) : 0), 0);

function withoutAnnotation(config: JsonObject, annotation: string): JsonObject {
  const metadata = memberOf(config, 'metadata');
  const annotations = isJsonObject(metadata) ? memberOf(metadata, 'annotations') : undefined;
  if (!isJsonObject(annotations)) return config;
  const { [annotation]: _removed, ...kept } = annotations;
  return { ...config, metadata: { ...(metadata as JsonObject), annotations: kept } };
}
