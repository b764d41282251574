import type { KeptEntry } from '../../driver.ts';
import type { Revision } from '../../entry.ts';
import { LATEST_EXPIRY_MS } from '../../expiry.ts';
import { makeStore, makeStoreFolder, openToWrite } from './database.ts';
import { inWords } from './failures.ts';

/** The number of entries in one transaction. */
const BATCH = 512;

/** Fills a new store in an empty folder. Throws what `entries` throws, and `StorageFailure`. */
export async function load(folder: string, { revision, entries }: { readonly revision: Revision; readonly entries: AsyncIterable<KeptEntry> }): Promise<void> {
  makeStoreFolder(folder);
  makeStore(folder);
  const file = inWords(folder, () => openToWrite(folder));
  try {
    const putLive = file.prepare('INSERT INTO live VALUES (?, ?, ?)');
    const putExpiry = file.prepare('INSERT INTO expiries VALUES (?, ?, ?)');
    // The time is used only for trimming what a write replaced, and here nothing was replaced.
    const putLog = file.prepare('INSERT OR REPLACE INTO log VALUES (?, ?, 0, 0, 0, ?)');
    let waiting = 0;
    file.exec('BEGIN');
    for await (const { key, value, revision: at, expiresAtMs } of entries) {
      putLog.run(at, key, value);
      const endMs = expiresAtMs === undefined ? null : Math.min(expiresAtMs, LATEST_EXPIRY_MS);
      putLive.run(key, at, endMs);
      if (endMs !== null) putExpiry.run(endMs, key, at);
      if (++waiting % BATCH === 0) file.exec('COMMIT; BEGIN');
    }
    file.prepare(`UPDATE meta SET value = ? WHERE name IN ('head', 'compacted')`).run(revision);
    file.exec('COMMIT');
  } finally {
    file.close();
  }
}
