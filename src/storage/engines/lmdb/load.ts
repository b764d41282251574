import type { KeptEntry } from '../../driver.ts';
import type { Revision } from '../../entry.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { openTables, transact, type Tables } from './database.ts';
import { PAGES_PER_WRITE_BYTES } from './limits.ts';
import { encodeRecord } from './record.ts';
import { usableBytes } from './write-failure.ts';

/** The most entries in one transaction. It ends, too, once their values have so many bytes: until then they are in memory, and it needs twice their space. */
const BATCH_ENTRIES = 512;
const BATCH_BYTES = 4 * 1024 * 1024;

/** Fills a new store in an empty folder. Throws what `entries` throws, and `StorageFailure`. */
export async function load(folder: string, { revision, entries }: { readonly revision: Revision; readonly entries: AsyncIterable<KeptEntry> }): Promise<void> {
  const tables = openTables(folder);
  try {
    let batch: KeptEntry[] = [];
    let bytes = 0;
    const write = (): Promise<unknown> => {
      checkSpace(folder, batch);
      return transact(tables, () => batch.forEach((entry) => put(tables, entry)));
    };
    for await (const entry of entries) {
      batch.push(entry);
      bytes += entry.value.byteLength;
      if (batch.length < BATCH_ENTRIES && bytes < BATCH_BYTES) continue;
      await write();
      batch = [];
      bytes = 0;
    }
    await write();
    // Written last: a load that was interrupted leaves a store whose head is that of an empty one.
    await transact(tables, () => {
      void tables.meta.put('compacted', revision);
      void tables.meta.put('head', revision);
    });
  } finally {
    await tables.root.close();
  }
}

/** LMDB must never write to a full disk: a failing write can crash the process. Throws `StorageFailure` (`full`). */
function checkSpace(folder: string, batch: readonly KeptEntry[]): void {
  const neededBytes = batch.reduce((sum, { value }) => sum + 2 * value.byteLength + PAGES_PER_WRITE_BYTES, 0);
  if (usableBytes(folder) >= neededBytes) return;
  throw new StorageFailure('full', `the disk of ${folder} has no room for the store: make some, or give a folder on another one`);
}

function put({ log, live, expiries }: Tables, { key, value, revision, expiresAtMs }: KeptEntry): void {
  if (expiresAtMs !== undefined) void expiries.put([expiresAtMs, key], revision);
  void live.put(key, expiresAtMs === undefined ? revision : [revision, expiresAtMs]);
  // The time is used only for trimming what a write replaced, and here nothing was replaced.
  void log.put(revision, encodeRecord({ key, previous: 0, timeMs: 0, value }));
}
