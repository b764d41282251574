import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Waiting } from '../../driver.ts';
import { presentFile } from '../../present-file.ts';
import { FILE, openTablesToRead, type Tables } from './database.ts';
import { pauseBeforeRetry } from './own-or-connect.ts';
import { openedHere } from './open-here.ts';
import { LongWait } from './long-wait.ts';
import { OpenLock } from './open-lock.ts';
import { openWhileWritesHeld } from './members/open-while-writes-held.ts';
import { ifStillOwnedBy, isAlive, readOwner } from './owner.ts';

/** A store opened for reading while its server may write to it. */
export interface ReadOnlyStore {
  readonly tables: Tables;
  close(): Promise<void>;
}

/** Opens the tables of an existing store for reading, while its server may write. Throws `StorageFailure`, and the reason of `waiting.stop`. */
export async function openReadOnly(folder: string, waiting: Waiting): Promise<ReadOnlyStore> {
  const place = realpathSync(dirname(presentFile(folder, FILE)));
  const lock = OpenLock.open(place);
  const wait = new LongWait(waiting);
  try {
    const tables: { open?: Tables } = {};
    const open = (): void => void (tables.open = openTablesToRead(place));
    while (tables.open === undefined) {
      waiting.stop?.throwIfAborted();
      const owner = readOwner(place);
      if (owner !== undefined && (await isAlive(owner, place))) {
        const socket = await openWhileWritesHeld({ path: place, lock }, owner, open, wait);
        socket?.destroy();
        if (socket === undefined) await pauseBeforeRetry();
      } else {
        await ifStillOwnedBy(owner, { path: place, lock }, open, waiting);
      }
    }
    const { open: opened } = tables;
    const closed = openedHere(place);
    return {
      tables: opened,
      async close() {
        await lock.closeStore(opened.root);
        closed();
        await lock.close();
      },
    };
  } catch (cause) {
    await lock.close();
    throw cause;
  } finally {
    wait.over();
  }
}
