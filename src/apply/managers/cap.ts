import { compareUtf8 } from '#base';
import { unionOf, type FieldSet } from '../fieldpath/set.ts';
import { identityOf, secondsOf, type Entry, type Managed } from '../managed-fields.ts';

/** The most entries of operation Update. */
const MAX_UPDATE_MANAGERS = 10;

/** The manager into which the oldest entries are merged, one entry for each version. */
const BUCKET = 'ancient-changes';

/** Merges the oldest Update entries of a version into one until there are at most `max`. The only entry of a version is kept. */
export function capUpdateManagers(managed: Managed, max = MAX_UPDATE_MANAGERS): Managed {
  if (managed.size <= max) return managed;
  const updaters = [...managed].filter(([, entry]) => entry.operation === 'Update');
  let excess = updaters.length - max;
  if (excess <= 0) return managed;
  updaters.sort(([aId, a], [bId, b]) => secondsOf(a.time) - secondsOf(b.time) || compareUtf8(aId, bId));
  const capped = new Map(managed);
  const firstOfVersion = new Map<string, string>();
  const poured = new Map<string, FieldSet[]>();
  for (const [id, entry] of updaters) {
    if (excess <= 0) break;
    const first = firstOfVersion.get(entry.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(entry.apiVersion, id);
    } else if (pour(capped, poured, first, id, entry)) {
      excess--;
    }
  }
  for (const [id, sets] of poured) capped.set(id, { ...capped.get(id)!, fields: unionOf(sets) });
  return capped;
}

/** The fields of each bucket are joined when all that go into it are known: who joined them one by one would copy them for each. */
function pour(capped: Map<string, Entry>, poured: Map<string, FieldSet[]>, first: string, id: string, entry: Entry): boolean {
  const empty: Entry = { ...entry, manager: BUCKET, subresource: '' };
  const bucketId = identityOf(empty);
  if (bucketId === id) return false;
  const sets = poured.get(bucketId) ?? [];
  const into = capped.get(bucketId) ?? capped.get(first);
  if (sets.length === 0 && into !== undefined) sets.push(into.fields);
  poured.set(bucketId, sets);
  sets.push(entry.fields);
  if (!capped.has(bucketId)) capped.delete(first);
  capped.delete(id);
  // The merged entry gets the newer time.
  capped.set(bucketId, empty);
  return true;
}
