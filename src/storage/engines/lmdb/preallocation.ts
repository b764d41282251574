import { writevSync } from 'node:fs';
import { LEAST_AHEAD_BYTES, LEAVE_FREE_BYTES, MOST_AHEAD_BYTES } from './limits.ts';
import { pageSpace } from './pages.ts';

const BLOCK = new Uint8Array(64 * 1024);

export interface PreallocationHooks {
  /** Runs `work` while no process writes to the file. */
  readonly lock: (work: () => void) => void;
  /** How many bytes of disk space writes may use at present. */
  readonly usableBytes: () => number;
}

/**
 * Keeps the file longer than its pages, so that new pages overwrite what it has. A file system with a journal writes that too, and waits for it once
 * more, at every flush of a file that has grown: a write of one client alone takes up to a quarter longer. What lies behind the last page means nothing
 * to LMDB, and nothing to a reader of its pages.
 *
 * The space is made of zeros: a hole, or space that is reserved only, costs its entry in the journal when it is first written to.
 */
export class Preallocation {
  readonly #file: number;
  readonly #hooks: PreallocationHooks;
  /** At least so many bytes are left behind the last page: those seen last, less what transactions may have taken since. */
  #aheadBytes = 0;

  /** `file`: a descriptor of the file, open for writing. */
  constructor(file: number, hooks: PreallocationHooks) {
    this.#file = file;
    this.#hooks = hooks;
  }

  /** To be called before a transaction that takes at most about `bytes`, while none is under way. Throws the error of the system, but not for want of space. */
  prepareFor(bytes: number): void {
    if (this.#aheadBytes < LEAST_AHEAD_BYTES) this.#look();
    this.#aheadBytes -= bytes;
  }

  #look(): void {
    const { usedBytes, fileBytes } = pageSpace(this.#file);
    this.#aheadBytes = fileBytes - usedBytes;
    if (this.#aheadBytes < LEAST_AHEAD_BYTES && this.#hooks.usableBytes() > LEAVE_FREE_BYTES) this.#hooks.lock(() => this.#extend());
  }

  #extend(): void {
    const { usedBytes, fileBytes } = pageSpace(this.#file);
    const end = Math.max(usedBytes, fileBytes);
    const blocks = Math.floor((usedBytes + MOST_AHEAD_BYTES - end) / BLOCK.length);
    try {
      this.#aheadBytes = end + writevSync(this.#file, new Array<Uint8Array>(blocks).fill(BLOCK), end) - usedBytes;
    } catch (cause) {
      if (!isOutOfSpace(cause)) throw cause;
    }
  }
}

/** Another program, or a limit on the file or its owner, has taken the space: whether there is some for the pages themselves shows when they are written. */
const isOutOfSpace = (cause: unknown): boolean => ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((cause as NodeJS.ErrnoException).code ?? '');
