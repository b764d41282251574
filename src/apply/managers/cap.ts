import { compareUtf8 } from '#base';
import { union } from '../fieldpath/set.ts';
import { identityOf, secondsOf, type Entry, type Managed } from '../managed-fields.ts';

/** So many entries of operation Update are kept apart. */
const MAX_UPDATE_MANAGERS = 10;

/** Whom the oldest are merged into, one entry for each version. */
const BUCKET = 'ancient-changes';

/** Merges the oldest updaters of a version into one entry until there are few enough. A version with a single updater keeps it. */
export function capUpdateManagers(managed: Managed, max = MAX_UPDATE_MANAGERS): Managed {
  if (managed.size <= max) return managed;
  const updaters = [...managed].filter(([, entry]) => entry.operation === 'Update');
  let excess = updaters.length - max;
  if (excess <= 0) return managed;
  updaters.sort(([aId, a], [bId, b]) => secondsOf(a.time) - secondsOf(b.time) || compareUtf8(aId, bId));
  const capped = new Map(managed);
  const firstOfVersion = new Map<string, string>();
  for (const [id, entry] of updaters) {
    if (excess <= 0) break;
    const first = firstOfVersion.get(entry.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(entry.apiVersion, id);
    } else if (pour(capped, first, id, entry)) {
      excess--;
    }
  }
  return capped;
}

function pour(capped: Map<string, Entry>, first: string, id: string, entry: Entry): boolean {
  const empty: Entry = { ...entry, manager: BUCKET, subresource: '' };
  const bucketId = identityOf(empty);
  if (bucketId === id) return false;
  const into = capped.get(bucketId) ?? capped.get(first);
  if (!capped.has(bucketId)) capped.delete(first);
  capped.delete(id);
  // The younger time stands for all.
  capped.set(bucketId, { ...empty, fields: into === undefined ? entry.fields : union(into.fields, entry.fields) });
  return true;
}
