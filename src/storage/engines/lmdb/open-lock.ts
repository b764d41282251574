import { join } from 'node:path';
import { open as openLmdb, type RootDatabase } from 'lmdb';
import { openFailure, OWNER_ONLY } from './database.ts';
import { removeUncommitted } from './file-check.ts';
import { checkRoomForLocks, isReadOnly } from './lock-file.ts';

const FILE = 'gate.mdb';

/**
 * A lock under which one process at a time opens the store's file, closes it, or becomes the one that writes to it. When LMDB opens a file it sets the
 * transaction counter that all processes share back to what the file says; a write at that moment would be lost. The lock is the write lock of a
 * second LMDB file, into which nothing is ever written: the system releases it when the process that holds it dies.
 */
export class OpenLock {
  readonly #root: RootDatabase | undefined;

  private constructor(root: RootDatabase | undefined) {
    this.#root = root;
  }

  /** Opens the lock file in a folder, or creates it. Throws `StorageFailure`. */
  static open(folder: string): OpenLock {
    const path = join(folder, FILE);
    try {
      if (isReadOnly(folder)) return new OpenLock(undefined);
      // Processes that have the file open still share the lock: LMDB keeps it in a separate lock file.
      removeUncommitted(path);
      checkRoomForLocks(path);
      return new OpenLock(openLmdb({ path, mapSize: 1 << 20, ...OWNER_ONLY }));
    } catch (cause) {
      throw openFailure(cause, path);
    }
  }

  /** Runs `work` while holding the lock. It should be synchronous and short: a process that waits for the lock is blocked. */
  run<T>(work: () => T): T {
    return this.#root === undefined ? work() : this.#root.transactionSync(work);
  }

  /**
   * Closes the store's file while no process opens it. The last process to close an LMDB file destroys its locks; a process that opened it at that
   * moment, and all later ones, would have broken locks and fail until all of them have closed the file.
   */
  async closeStore(root: Pick<RootDatabase, 'close'>): Promise<void> {
    await this.run(() => root.close());
  }

  async close(): Promise<void> {
    await this.#root?.close();
  }
}
