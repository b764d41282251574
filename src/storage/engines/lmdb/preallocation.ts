import { closeSync, ftruncateSync, openSync, writevSync } from 'node:fs';
import { LEAST_AHEAD_BYTES, MOST_AHEAD_BYTES } from './limits.ts';
import { pageSpace } from './pages.ts';

const BLOCK = new Uint8Array(64 * 1024);

export interface PreallocationHooks {
  /** Runs `work` while no process writes to the file. */
  readonly lock: (work: () => void) => void;
  /** How many bytes of its disk the file may take ahead of its pages at present. */
  readonly spareBytes: () => number;
  /** How much of the file, behind its last page, is kept for when the disk is full. */
  readonly reservedBytes: number;
  /** Whether the disk is far from full, so that the reserve may be missing for a while. */
  readonly isPlentiful: () => boolean;
}

/**
 * Keeps the file longer than its pages, so that new pages overwrite what it has. A file system with a journal writes that too, and waits for it once
 * more, at every flush of a file that has grown: a write of one client alone takes up to a quarter longer. What lies behind the last page means nothing
 * to LMDB, and nothing to a reader of its pages. On a full disk it is all that new pages can be written to.
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

  /**
   * To be called before a transaction that takes at most about `bytes`, while none is under way. Throws the error of the system, but not for want of
   * space.
   */
  prepareFor(bytes: number): void {
    this.#keep(this.#hooks.isPlentiful() ? 0 : this.#hooks.reservedBytes);
    this.#aheadBytes -= bytes;
  }

  /**
   * Keeps the reserve. To be called now and then, while no transaction is under way: a reserve that is there before each of them would be written twice,
   * as zeros and as pages, by those who write most. Throws as `prepareFor` does.
   */
  keepReserve(): void {
    const { reservedBytes } = this.#hooks;
    if (reservedBytes > 0) this.#keep(reservedBytes);
  }

  #keep(reservedBytes: number): void {
    const leastBytes = reservedBytes + LEAST_AHEAD_BYTES;
    if (this.#aheadBytes >= leastBytes) return;
    const { usedBytes, fileBytes } = pageSpace(this.#file);
    this.#aheadBytes = fileBytes - usedBytes;
    if (this.#aheadBytes >= leastBytes) return;
    const spareBytes = this.#hooks.spareBytes();
    if (spareBytes >= BLOCK.length) this.#hooks.lock(() => this.#extend(reservedBytes + MOST_AHEAD_BYTES, spareBytes));
  }

  #extend(aheadBytes: number, spareBytes: number): void {
    const { usedBytes, fileBytes } = pageSpace(this.#file);
    const end = Math.max(usedBytes, fileBytes);
    const missing = usedBytes + aheadBytes - end;
    const blocks = Math.floor(Math.max(0, Math.min(missing, spareBytes)) / BLOCK.length);
    try {
      this.#aheadBytes = end + writevSync(this.#file, new Array<Uint8Array>(blocks).fill(BLOCK), end) - usedBytes;
    } catch (cause) {
      if (!isOutOfSpace(cause)) throw cause;
    }
  }
}

/**
 * Gives some of the space ahead of the pages of the file at `path` back to a full disk, for small files beside it. False: there is none. No process may
 * be writing to the file. Throws the error of the system.
 */
export function giveSpaceBack(path: string): boolean {
  const file = openSync(path, 'r+');
  try {
    const { usedBytes, fileBytes } = pageSpace(file);
    if (fileBytes <= usedBytes) return false;
    ftruncateSync(file, Math.max(usedBytes, fileBytes - BLOCK.length));
    return true;
  } finally {
    closeSync(file);
  }
}

/** Another program, or a limit on the file or its owner, has taken the space: whether there is some for the pages themselves shows when they are written. */
export const isOutOfSpace = (cause: unknown): boolean => ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((cause as NodeJS.ErrnoException).code ?? '');
