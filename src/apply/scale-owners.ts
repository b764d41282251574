import type { JsonObject } from '#base';
import { pathOf } from './fieldpath/path.ts';
import { difference, hasPath, isEmptySet, setOf } from './fieldpath/set.ts';
import { readManaged, writeManaged, type Entry, type Managed } from './managed-fields.ts';

/** The path of the replicas, in a Scale as in the scaled object. */
const REPLICAS = pathOf('spec', 'replicas');
const OF_REPLICAS = setOf(REPLICAS);

type List = readonly JsonObject[] | undefined;

/**
 * The `managedFields` of the Scale of an object: the managers that own its replicas, with the path and version of the Scale.
 * @spec 4.9
 */
export function ownersOfScale(managedFields: unknown, scaleVersion: string): List {
  const owners = [...readManaged(managedFields)].filter(([, { fields }]) => hasPath(fields, REPLICAS));
  return freshList(new Map(owners.map(([id, entry]) => [id, { ...entry, apiVersion: scaleVersion, fields: OF_REPLICAS }])));
}

/** An object whose scale is written. */
export interface Scaled {
  readonly managedFields: unknown;
  /** The version through which it is scaled. */
  readonly apiVersion: string;
  /** Managers of versions that are not served are forgotten. */
  isServed(apiVersion: string): boolean;
}

/**
 * The `managedFields` of an object after its Scale was written, which has `scaleFields`. The identity of an applier is the same in both, so its entry
 * stays as it is. That of an updater includes the version: it gets a separate entry for the replicas, which has no time.
 */
export function ownersOfScaled({ managedFields, apiVersion, isServed }: Scaled, scaleFields: unknown): List {
  const before = readManaged(managedFields);
  const scale = new Map(readManaged(scaleFields));
  const next = new Map<string, Entry>();
  for (const [id, entry] of before) {
    if (!isServed(entry.apiVersion)) continue;
    const isKept = !hasPath(entry.fields, REPLICAS) || scale.delete(id);
    next.set(id, isKept ? entry : { ...entry, fields: difference(entry.fields, OF_REPLICAS) });
  }
  for (const [id, entry] of scale) {
    if (hasPath(entry.fields, REPLICAS)) next.set(id, { ...entry, apiVersion, time: before.get(id)?.time, fields: OF_REPLICAS });
  }
  return freshList(next);
}

/**
 * The `managedFields` of an object without an owner for the field at `placeIn(apiVersion)`, which each manager owns in its own version; undefined: there
 * is no such field in that version. An entry that has nothing else is left out.
 */
export function ownersBut(placeIn: (apiVersion: string) => readonly string[] | undefined, { managedFields, isServed }: Omit<Scaled, 'apiVersion'>): List {
  const left = new Map<string, Entry>();
  for (const [id, entry] of readManaged(managedFields)) {
    if (!isServed(entry.apiVersion)) continue;
    const place = placeIn(entry.apiVersion);
    const path = place && pathOf(...place);
    const fields = path === undefined || !hasPath(entry.fields, path) ? entry.fields : difference(entry.fields, setOf(path));
    if (fields === entry.fields || !isEmptySet(fields)) left.set(id, { ...entry, fields });
  }
  return freshList(left);
}

/** Encodes entries without the cached entries of `writeManaged`: the identities in `managed` are not those of the entries. */
function freshList(managed: Managed): List {
  const list = writeManaged(managed);
  return list && [...list];
}
