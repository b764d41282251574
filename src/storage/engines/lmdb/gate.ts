import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { open as openLmdb, type RootDatabase } from 'lmdb';
import { openFailure, OWNER_ONLY } from './database.ts';
import { removeUncommitted } from './file-check.ts';

const FILE = 'gate.mdb';

/**
 * Lets one process at a time open the store's file, close it, or become the one that writes to it. LMDB sets the counter of transactions, which all
 * processes share, back to what the file said when it opens a file; whoever wrote in that moment would lose what it wrote. The lock is that
 * of an LMDB file into which nothing is ever written: it is free again when a process dies inside.
 */
export class Gate {
  readonly #root: RootDatabase | undefined;

  private constructor(root: RootDatabase | undefined) {
    this.#root = root;
  }

  /** Throws `StorageFailure`. */
  static open(folder: string): Gate {
    const path = join(folder, FILE);
    try {
      if (isReadOnly(folder)) return new Gate(undefined);
      // Whoever has it open already goes on with the same lock: that is in a file of its own.
      removeUncommitted(path);
      return new Gate(openLmdb({ path, mapSize: 1 << 20, ...OWNER_ONLY }));
    } catch (cause) {
      throw openFailure(cause, path);
    }
  }

  /** Runs `work`, which had better be synchronous, while no other process is inside: those that wait do nothing else. */
  pass<T>(work: () => T): T {
    return this.#root === undefined ? work() : this.#root.transactionSync(work);
  }

  /**
   * Closes the store's file while nobody opens it. Whoever closes an LMDB file as the last one takes its locks apart; who opened it in that moment, and all
   * who did after that, would have locks that do not work, and fail until the last of them is gone.
   */
  async shut(root: Pick<RootDatabase, 'close'>): Promise<void> {
    await this.pass(() => root.close());
  }

  async close(): Promise<void> {
    await this.#root?.close();
  }
}

/** Nobody writes there, so nobody need wait. */
function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EROFS';
  }
}
