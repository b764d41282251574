import { accessSync, constants, statSync } from 'node:fs';
import { failureText } from '#base';
import { StorageFailure } from './storage-failure.ts';

/** Something without which what is written could be lost. */
export interface Safeguard {
  /** Why writes must be refused; undefined: as far as this goes, writing is safe. */
  readonly failure: StorageFailure | undefined;
}

/** The first failure among several safeguards; undefined: writing is safe. */
export function failureAmong(safeguards: readonly Safeguard[]): StorageFailure | undefined {
  for (const { failure } of safeguards) if (failure !== undefined) return failure;
  return undefined;
}

/**
 * Checks that the file an engine has open is still the one at its path. A file that was removed, moved away or replaced can still be read and
 * written by the process that has it open, but what is written is gone with the process: such a write must not be called durable. On a file system
 * that has become read-only, as Linux makes one whose disk fails, no write is tried: the native libraries break when the system refuses one write
 * after the other.
 *
 * The file is never opened here: closing a file releases all POSIX locks that the process holds on it, and SQLite uses such locks.
 */
export class OpenedFile implements Safeguard {
  readonly #path: string;
  readonly #ifDeleted: string;
  readonly #opened: string | undefined;

  /** Call it when the file has just been opened: it remembers device and inode. `ifDeleted`: what to do where the file cannot be put back. */
  constructor(path: string, ifDeleted = 'restore a backup and start this server anew') {
    this.#path = path;
    this.#ifDeleted = ifDeleted;
    this.#opened = this.#identity();
  }

  /** Why writes must be refused: another file or none is at the path, or the file system is read-only; undefined: writing is safe. */
  get failure(): StorageFailure | undefined {
    if (this.#opened === undefined) return undefined;
    if (this.#identity() === this.#opened) return this.#readOnly();
    const problem = `${this.#path} is not the file any more that this server has open: what is written now would be lost`;
    return new StorageFailure('unavailable', `${problem}. Put it back where it was; where it was deleted, ${this.#ifDeleted}`);
  }

  #readOnly(): StorageFailure | undefined {
    try {
      accessSync(this.#path, constants.W_OK);
      return undefined;
    } catch (cause) {
      return (cause as NodeJS.ErrnoException).code === 'EROFS' ? takesNoWrites(this.#path, cause) : undefined;
    }
  }

  /** Device and inode of the file at the path; undefined: there is none, or it cannot be examined. */
  #identity(): string | undefined {
    try {
      const { dev, ino } = statSync(this.#path, { bigint: true });
      return `${dev} ${ino}`;
    } catch {
      return undefined;
    }
  }
}

/** The failure of writes to a file that the system refuses. */
export function takesNoWrites(path: string, cause: unknown): StorageFailure {
  const problem = `${path} takes no writes any more (${failureText(cause)}): look for what the system says about its disk`;
  return new StorageFailure('unavailable', `${problem}. It is read only until it can be written again`, { cause });
}
