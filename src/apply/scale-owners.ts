import type { JsonObject } from '#base';
import { pathOf } from './fieldpath/path.ts';
import { difference, hasPath, isEmptySet, setOf } from './fieldpath/set.ts';
import { readManaged, writeManaged, type Entry, type Managed } from './managed-fields.ts';

/** Where replicas stand, in a scale as in what it scales. */
const REPLICAS = pathOf('spec', 'replicas');
const OF_REPLICAS = setOf(REPLICAS);

type List = readonly JsonObject[] | undefined;

/**
 * `managedFields` of the scale of an object with these: whoever owns its replicas, in the words of the scale.
 * @spec 4.9
 */
export function ownersOfScale(managedFields: unknown, scaleVersion: string): List {
  const owners = [...readManaged(managedFields)].filter(([, { fields }]) => hasPath(fields, REPLICAS));
  return freshList(new Map(owners.map(([id, entry]) => [id, { ...entry, apiVersion: scaleVersion, fields: OF_REPLICAS }])));
}

/** What is scaled. */
export interface Scaled {
  readonly managedFields: unknown;
  /** The version through which it is scaled. */
  readonly apiVersion: string;
  /** Who owns in the words of other versions is forgotten. */
  isServed(apiVersion: string): boolean;
}

/**
 * `managedFields` of an object after its scale was written and has these. An applier is the same one in both, so that it stays as it is. An
 * updater is told apart by its version too: it owns the replicas in an entry of its own from now on, and that entry has no time.
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

/** `managedFields` of an object where nobody owns the member at `place` any more; who is left with nothing is left out. */
export function ownersBut(place: readonly string[], { managedFields, isServed }: Omit<Scaled, 'apiVersion'>): List {
  const gone = setOf(pathOf(...place));
  const left = new Map<string, Entry>();
  for (const [id, entry] of readManaged(managedFields)) {
    const fields = difference(entry.fields, gone);
    if (isServed(entry.apiVersion) && !isEmptySet(fields)) left.set(id, { ...entry, fields });
  }
  return freshList(left);
}

/** Not the list that knows what it says: here entries go by names that it would not give them. */
function freshList(managed: Managed): List {
  const list = writeManaged(managed);
  return list && [...list];
}
