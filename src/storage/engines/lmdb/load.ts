import type { KeptEntry, Revision } from '../../engine.ts';
import { heard, openTables, type Tables } from './database.ts';
import { encodeRecord } from './record.ts';

/** So many entries go into one transaction. */
const BATCH = 512;

/** Fills a new store in an empty folder. Throws what `entries` throws, and `StorageFailure`. */
export async function load(folder: string, { revision, entries }: { readonly revision: Revision; readonly entries: AsyncIterable<KeptEntry> }): Promise<void> {
  const tables = openTables(folder);
  try {
    let waiting = 0;
    let last: Promise<unknown> = Promise.resolve();
    for await (const entry of entries) {
      last = put(tables, entry);
      if (++waiting % BATCH === 0) await last;
    }
    await last;
    // With the counter it becomes a store: what was cut off before is empty to its reader.
    void heard(tables.meta.put('compacted', revision));
    await tables.meta.put('head', revision);
  } finally {
    await tables.root.close();
  }
}

function put({ log, live, expiries }: Tables, { key, value, revision, expiresAtMs }: KeptEntry): Promise<unknown> {
  if (expiresAtMs !== undefined) void heard(expiries.put([expiresAtMs, key], revision));
  void heard(live.put(key, expiresAtMs === undefined ? revision : [revision, expiresAtMs]));
  // When it was written matters to no one: what it replaced is not there.
  return heard(log.put(revision, encodeRecord({ key, previous: 0, timeMs: 0, value })));
}
