import { join } from 'node:path';
import { freeBytes } from '../../free-bytes.ts';
import type { Sqlite } from './binding.ts';
import { FILE, LOG_FILE, sizeOf } from './files.ts';
import { LOCK_WAIT_MS, LOG_RESTART_WAIT_MS, PLENTY_BYTES, RESERVED_DISK_BYTES } from './limits.ts';

/** The room that a store has for what is written next. */
export interface Room {
  /** Free space of the disk, without what the file will grow by when the log is taken over into it. */
  readonly freeBytes: number;
  /** What the file has in pages that are free. */
  readonly reusableBytes: number;
  /** What the log can take without growing. */
  readonly logBytes: number;
}

/** The disk of a store, with what the store has there. */
export interface Disk {
  /** How much of it is free. */
  freeBytes(): number;
  measure(): Room;
  /** Takes all of the log over into the file, so that it is written to from its beginning again; false: it cannot be, or somebody reads it still. */
  restartLog(): boolean;
}

/**
 * The disk space that the writes of one transaction may use. All pages that a transaction changes are written to the log, and to the file afterwards:
 * to free pages of it first. Values leave a reserve of the disk free; half of it is there for the log of those who write to free pages, and all of it
 * for deletes, which are not asked: they are how space is freed, and SQLite undoes what does not fit.
 */
export class DiskRoom {
  readonly #disk: Disk;
  #room: Room = { freeBytes: 0, reusableBytes: 0, logBytes: 0 };
  #takenBytes = 0;

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** A transaction follows that changes about so many bytes of pages. Where little is free, the log is made to begin anew, which costs a flush or two. */
  prepareFor(bytes: number): void {
    this.#takenBytes = 0;
    const freeBytes = this.#disk.freeBytes();
    this.#room = freeBytes > PLENTY_BYTES + 2 * bytes ? { freeBytes, reusableBytes: 0, logBytes: 0 } : { ...this.#disk.measure(), logBytes: 0 };
    if (!this.#hasRoomFor(bytes) && this.#disk.restartLog()) this.#room = this.#disk.measure();
  }

  /** Takes room for a value of this transaction; false, without taking any: there is too little. */
  take(bytes: number): boolean {
    if (!this.#hasRoomFor(bytes)) return false;
    this.#takenBytes += bytes;
    return true;
  }

  /** Takes room for a delete of this transaction, which is tried however little there is. */
  takeAnyway(bytes: number): void {
    this.#takenBytes += bytes;
  }

  /** How many bytes of pages may be moved in this transaction, so that the file gets shorter. */
  get movableBytes(): number {
    return (this.#room.freeBytes + this.#room.logBytes) / 4;
  }

  #hasRoomFor(bytes: number): boolean {
    const { freeBytes, reusableBytes, logBytes } = this.#room;
    const changedBytes = this.#takenBytes + bytes;
    const growthBytes = Math.max(0, changedBytes - reusableBytes);
    return growthBytes <= freeBytes - RESERVED_DISK_BYTES && changedBytes + growthBytes <= freeBytes + logBytes - RESERVED_DISK_BYTES / 2;
  }
}

/** The room of the store in a folder whose file is open. */
export function diskRoomOf(folder: string, file: Sqlite): DiskRoom {
  const numbers = (['page_size', 'page_count', 'freelist_count'] as const).map((name) => file.prepare(`PRAGMA ${name}`));
  const measure = (): Room => {
    const [pageBytes = 0, pages = 0, freePages = 0] = numbers.map((statement) => Object.values(statement.get() ?? {})[0] as number);
    const missingBytes = Math.max(0, pages * pageBytes - sizeOf(join(folder, FILE)));
    return { freeBytes: freeBytes(folder) - missingBytes, reusableBytes: freePages * pageBytes, logBytes: sizeOf(join(folder, LOG_FILE)) };
  };
  const restart = file.prepare('PRAGMA wal_checkpoint(RESTART)');
  const restartLog = (): boolean => {
    // Another program may read for long, and whoever writes must not wait for it.
    file.exec(`PRAGMA busy_timeout = ${LOG_RESTART_WAIT_MS}`);
    try {
      return restart.get()?.['busy'] === 0;
    } catch {
      // Others have filled the disk: what is written next says so, unless it fits.
      return false;
    } finally {
      file.exec(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
    }
  };
  return new DiskRoom({ freeBytes: () => freeBytes(folder), measure, restartLog });
}
