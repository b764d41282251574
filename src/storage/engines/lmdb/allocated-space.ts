import { statfsSync } from 'node:fs';
import { freeBytes } from '../../free-bytes.ts';
import { FREE_LIST_ENTRIES, LEAVE_FREE_BYTES, RESERVED_DISK_BYTES, SPARE_DISK_BYTES } from './limits.ts';
import { freeRuns, pageSpace, type FreeRuns } from './pages.ts';

/**
 * File systems, by the number that `statfs` gives them, that write what a file has anew in its place, so that it takes no space. Others write it
 * elsewhere first, or do so where the file shares its blocks with a copy, as on XFS; of those that are not listed it is not known.
 */
const IN_PLACE: ReadonlySet<number> = new Set([
  /** ext2, ext3, ext4 */ 0xef53,
  /** tmpfs */ 0x0102_1994,
]);

const NO_RUNS: FreeRuns = { pageBytes: 4096, runs: [] };

/** What the pages of a store can be written to: the space that its file has, and the free space of its disk. What cannot be read does not count. */
export class AllocatedSpace {
  /** Whether what the file has can be written anew on a full disk. */
  readonly isLasting: boolean;
  readonly #folder: string;
  readonly #file: number;
  #isPlentiful = false;

  /** `file`: a descriptor of the file in `folder`. */
  constructor(folder: string, file: number) {
    this.#folder = folder;
    this.#file = file;
    this.isLasting = isInPlace(folder);
  }

  /** Whether the disk was far from full when it was measured last. */
  get isPlentiful(): boolean {
    return this.#isPlentiful;
  }

  /** Measures how much the file may grow before the reserve is touched; negative: so much of the reserve is missing. */
  measureUsable(): number {
    const free = freeBytes(this.#folder);
    this.#isPlentiful = free > LEAVE_FREE_BYTES;
    const ahead = this.isLasting && !this.#isPlentiful ? this.#aheadBytes : 0;
    return free + ahead - RESERVED_DISK_BYTES;
  }

  /** How much of its disk the file may take ahead of its pages. */
  get spareBytes(): number {
    const free = freeBytes(this.#folder);
    if (this.isLasting) return free - SPARE_DISK_BYTES;
    return free - RESERVED_DISK_BYTES > LEAVE_FREE_BYTES ? free : 0;
  }

  /** The free pages that can be written to, when `oldest` is the oldest transaction that somebody reads. */
  freeRuns(oldest: number): FreeRuns {
    if (!this.isLasting) return NO_RUNS;
    try {
      return freeRuns(this.#file, oldest, FREE_LIST_ENTRIES);
    } catch {
      return NO_RUNS;
    }
  }

  /** A free page that was never written may lack its place on the disk: it needs one when it is used again. */
  get #aheadBytes(): number {
    try {
      const { usedBytes, fileBytes, holeBytes } = pageSpace(this.#file);
      return Math.max(0, fileBytes - usedBytes - holeBytes);
    } catch {
      return 0;
    }
  }
}

function isInPlace(folder: string): boolean {
  try {
    return IN_PLACE.has(statfsSync(folder).type);
  } catch {
    return false;
  }
}
