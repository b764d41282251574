import { DiskSpace } from './disk-space.ts';
import { FreePages, type FreePagesHooks } from './free-pages.ts';
import { LEAST_RESERVED_BYTES, LEAST_SWEEP_RECORDS, PAGES_PER_WRITE_BYTES, RESERVED_DISK_BYTES, RESERVED_FREE_PAGES } from './limits.ts';

/** What each use of space leaves to those below it: of the reserve, if the file may grow for it, and of the free pages, if they are enough for it. */
const LEAVES = {
  write: { bytes: RESERVED_DISK_BYTES, pages: RESERVED_FREE_PAGES },
  /** Deletes are how space is freed. */
  delete: { bytes: RESERVED_DISK_BYTES / 2, pages: RESERVED_FREE_PAGES / 4 },
  /** Forgetting what was deleted is what frees it. */
  forget: { bytes: RESERVED_DISK_BYTES / 4, pages: 0 },
} as const;

/** A store that was full counts as writable again when there is room for so many writes at once: room for less is soon used up. */
const ROOMY = { writes: 16, valueBytes: 16 * 1024 };

export interface WriteSpaceHooks extends FreePagesHooks {
  /** How much the file may grow before the reserve is touched. */
  readonly usableBytes: () => number;
}

/**
 * The space that the writes of a group may take. A write has room where the file can grow by all that it might take and the reserve is left. Beyond
 * that it has room where free pages are enough, so that the file is not expected to grow: the file never becomes shorter, and a store that was full
 * once can go on in no other way. Should it grow nevertheless, the rest of the reserve is enough for that.
 */
export class WriteSpace {
  readonly #disk: DiskSpace;
  readonly #pages: FreePages;

  /** `nowMs`: a monotonic clock. */
  constructor(hooks: WriteSpaceHooks, nowMs: () => number) {
    this.#disk = new DiskSpace(hooks.usableBytes, nowMs);
    this.#pages = new FreePages(hooks);
  }

  /** A group begins: the writes of the previous one are in the file. */
  beginGroup(): void {
    this.#disk.beginGroup();
    this.#pages.beginGroup();
  }

  /** A write failed: space is measured anew. */
  forget(): void {
    this.#disk.forget();
    this.#pages.forget();
  }

  /** By how many bytes, at most about, the writes of this group make the file grow. */
  get groupBytes(): number {
    return this.#disk.groupBytes;
  }

  /** Takes the space of a write with a value of so many bytes; undefined: of a delete. False, without taking any: there is no room. */
  take(valueBytes: number | undefined): boolean {
    return this.#take(valueBytes === undefined ? 'delete' : 'write', valueBytes ?? 0, 1);
  }

  /** Takes the space for forgetting up to `most` records of history; for how many. 0: there is no room. */
  takeToForget(most: number): number {
    for (let records = most; records >= LEAST_SWEEP_RECORDS; records = Math.floor(records / 2)) if (this.#take('forget', 0, records)) return records;
    return 0;
  }

  /** Whether there is room for much more than the next write. */
  get isRoomy(): boolean {
    const { writes, valueBytes } = ROOMY;
    return this.#disk.reserve(growthOf(valueBytes * writes, writes), 0) || this.#canReuse('write', valueBytes, writes);
  }

  #take(use: keyof typeof LEAVES, valueBytes: number, writes: number): boolean {
    const bytes = growthOf(valueBytes, writes);
    const canGrow = this.#disk.reserve(bytes - RESERVED_DISK_BYTES + LEAVES[use].bytes, bytes);
    if (!canGrow && !(this.#canReuse(use, valueBytes, writes) && this.#disk.reserve(bytes - RESERVED_DISK_BYTES + LEAST_RESERVED_BYTES, bytes))) return false;
    this.#pages.spend({ count: allocationsOf(writes), valueBytes });
    return true;
  }

  #canReuse(use: keyof typeof LEAVES, valueBytes: number, writes: number): boolean {
    return this.#pages.hasRoom({ count: allocationsOf(writes), valueBytes }, LEAVES[use].pages);
  }
}

/** By how much the file grows where no page of it is free. */
const growthOf = (valueBytes: number, writes: number): number => 2 * valueBytes + writes * PAGES_PER_WRITE_BYTES;

/** The value, and the pages that a write changes beside it. */
const allocationsOf = (writes: number): number => writes * (1 + PAGES_PER_WRITE_BYTES / 4096);
