import { join } from 'node:path';
import { openAsClass, type RootDatabase } from 'lmdb';
import { clearTimeout, setTimeout } from '#base';
import type { Waiting } from '../../driver.ts';
import { BATCHING, openFailure, OWNER_ONLY, startWriting } from './database.ts';
import { checkEmpty } from './file-check.ts';
import { LEAVE_MS } from './limits.ts';
import { checkRoomForLocks, checkRoomToRewrite, isReadOnly } from './lock-file.ts';
import { LongWait } from './long-wait.ts';

const FILE = 'gate.mdb';

/** A class of the binding, whose types do not say how it is made. */
type BindingClass = new (name: null, options: { readonly isRoot: boolean }) => RootDatabase;
/** LMDB's number of the database that each file has. */
const MAIN_DATABASE = 1;

/**
 * Opens a file of which only the write lock is used. The binding opens the database of a file in a write transaction: the event loop would stand still
 * while another process holds the lock, and no signal would be heard. What is never read or written need not be opened.
 */
function openLockOnly(path: string): RootDatabase {
  const Store = openAsClass({ path, mapSize: 1 << 20, overlappingSync: false, ...BATCHING, ...OWNER_ONLY }) as unknown as BindingClass;
  class LockOnly extends Store {
    override transactionSync(): never {
      Object.assign(this, { db: { dbi: MAIN_DATABASE } });
      return undefined as never;
    }
  }
  return new LockOnly(null, { isRoot: true });
}

/**
 * A lock under which one process at a time opens the store's file, closes it, or becomes the one that writes to it. When LMDB opens a file it sets the
 * transaction counter that all processes share back to what the file says; a write at that moment would be lost. The lock is the write lock of a
 * second LMDB file, into which nothing is ever written: the system releases it when the process that holds it dies.
 */
export class OpenLock {
  readonly #path: string;
  readonly #root: RootDatabase | undefined;
  /** How many wait for the lock. A thread of the library waits for them, and cannot be called off. */
  #waiters = 0;

  private constructor(path: string, root: RootDatabase | undefined) {
    this.#path = path;
    this.#root = root;
  }

  /** Opens the lock file in a folder, or creates it, also while another process holds the lock. Throws `StorageFailure`. */
  static open(folder: string): OpenLock {
    const path = join(folder, FILE);
    try {
      if (isReadOnly(folder)) return new OpenLock(path, undefined);
      // Processes that have the file open still share the lock: LMDB keeps it in a separate lock file.
      checkEmpty(path);
      checkRoomForLocks(path);
      checkRoomToRewrite(path);
      return new OpenLock(path, openLockOnly(path));
    } catch (cause) {
      throw openFailure(cause, path);
    }
  }

  /**
   * Runs `work`, which should be short, while holding the lock. The event loop goes on while another process holds it, which may be suspended and go on
   * later. `waiting`: what becomes of a wait for it. Throws what `work` throws; the reason of `waiting.stop` where that aborts before `work` begins.
   */
  async run<T>(work: () => T | Promise<T>, waiting: Waiting = {}): Promise<T> {
    const { stop } = waiting;
    stop?.throwIfAborted();
    if (this.#root === undefined) return work();
    let leave = (): void => {};
    const left = new Promise<never>((_, reject) => (leave = () => reject(stop?.reason as Error)));
    stop?.addEventListener('abort', leave);
    const wait = new LongWait(waiting);
    wait.for(`another process has ${this.#path} locked, to open or close the store, and does not go on: continue it or end it (\`fuser\` names those that have the file open)`);
    const done = this.#root.transaction(() => {
      this.#waiters--;
      stop?.removeEventListener('abort', leave);
      wait.over();
      // Nobody waits for it any more.
      return stop?.aborted === true ? (undefined as never) : work();
    });
    this.#waiters++;
    startWriting(this.#root);
    return Promise.race([done, left]).finally(() => wait.over());
  }

  /** Runs `work` as `run` does, or not at all where another process holds the lock too long: it must not keep this one from ending. */
  async runToLeave(work: () => unknown): Promise<void> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error('late')), LEAVE_MS);
    const begin = (): unknown => {
      clearTimeout(timer);
      return work();
    };
    try {
      await this.run(begin, { stop: late.signal });
    } catch (cause) {
      if (!late.signal.aborted) throw cause;
    }
  }

  /**
   * Closes the store's file while no process opens it. The last process to close an LMDB file destroys its locks; a process that opened it at that
   * moment, and all later ones, would have broken locks and fail until all of them have closed the file. Where another process holds the lock too long the
   * file stays open until this process ends.
   */
  async closeStore(root: Pick<RootDatabase, 'close'>): Promise<void> {
    await this.runToLeave(() => root.close());
  }

  async close(): Promise<void> {
    const closed = this.#root?.close();
    if (this.#waiters === 0) await closed;
  }
}
