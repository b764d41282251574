import { MAX_KEY_BYTES } from '../../longest-key.ts';
import { PAGES_PER_TRANSACTION } from './limits.ts';
import type { FreeRuns } from './pages.ts';

/** What stands before a value on its pages is no longer than this and the key. */
const HEADER_BYTES = 64;

/** What is to be put into free pages: so many allocations, none of them longer than a value of so many bytes. */
export interface Allocations {
  readonly count: number;
  readonly valueBytes: number;
}

export interface FreePagesHooks {
  /** The oldest transaction that somebody reads at present. */
  readonly oldestRead: () => number;
  /** The free pages that the next transaction may write to, when that one and later ones are read. */
  readonly freeRuns: (oldestRead: number) => FreeRuns;
}

/**
 * The free pages that writes may use again. To read which there are takes longer than a write does, so they are read anew only when half of what is
 * known may be used up, and not if they cannot have changed.
 *
 * They are counted in pieces of the length of the longest value that was written since they were read. Whatever LMDB puts where, one allocation spoils
 * one piece at most. Who begins to read meanwhile takes none away.
 */
export class FreePages {
  readonly #hooks: FreePagesHooks;
  #known: FreeRuns | undefined;
  /** The oldest transaction that was read when they were looked for, and whether there have been writes since. */
  #oldestRead = 0;
  #isChanged = false;
  /** How many pieces of so many pages there were. */
  readonly #pieces = new Map<number, number>();
  /** How many pieces may have been spoiled since, and the longest value that was written. */
  #spent = 0;
  #longestBytes = 0;
  /** Of that, what the writes of the current group take, which are not in the file yet. */
  #underWay = 0;

  constructor(hooks: FreePagesHooks) {
    this.#hooks = hooks;
  }

  /** A group begins: the writes of the previous one are in the file. */
  beginGroup(): void {
    if (this.#underWay > 0) this.#isChanged = true;
    this.#underWay = 0;
  }

  /** A write failed: the pages are read anew. */
  forget(): void {
    this.#known = undefined;
  }

  /** Whether there is room for these in this group, and `spare` pages are left. */
  hasRoom(wanted: Allocations, spare: number): boolean {
    if (this.#known !== undefined && this.#left(wanted, spare) >= this.#spent) return true;
    const oldestRead = this.#hooks.oldestRead();
    if (this.#known === undefined || this.#isChanged || oldestRead !== this.#oldestRead) this.#readAnew(oldestRead);
    return this.#left(wanted, spare) >= 0;
  }

  /** These belong to this group. */
  spend({ count, valueBytes }: Allocations): void {
    const spent = this.#beginning + count;
    this.#underWay += spent;
    this.#spent += spent;
    this.#longestBytes = Math.max(this.#longestBytes, valueBytes);
  }

  #readAnew(oldestRead: number): void {
    this.#known = this.#hooks.freeRuns(oldestRead);
    this.#oldestRead = oldestRead;
    this.#isChanged = false;
    this.#pieces.clear();
    this.#spent = this.#underWay;
    if (this.#underWay === 0) this.#longestBytes = 0;
  }

  /** How many pieces are left after them, at least; negative: so many are missing. */
  #left({ count, valueBytes }: Allocations, spare: number): number {
    const { pageBytes, runs } = this.#known!;
    const piece = Math.ceil((Math.max(valueBytes, this.#longestBytes) + MAX_KEY_BYTES + HEADER_BYTES) / pageBytes);
    let pieces = this.#pieces.get(piece);
    if (pieces === undefined) {
      pieces = runs.reduce((sum, { pages }) => sum + Math.floor(pages / piece), 0);
      this.#pieces.set(piece, pieces);
    }
    return pieces - this.#spent - this.#beginning - count - Math.ceil(spare / piece);
  }

  /** What the first write of a group takes beside its own. */
  get #beginning(): number {
    return this.#underWay === 0 ? PAGES_PER_TRANSACTION : 0;
  }
}
