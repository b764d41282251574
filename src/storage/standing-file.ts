import { accessSync, constants, statSync } from 'node:fs';
import { StorageFailure } from './engine.ts';

/**
 * The file as it was opened. One that is removed, moved away or replaced under a server can still be read and written, and whatever is
 * written to it is gone with the process: nothing of that may be called durable. On a file system that has become read-only, as systems do with a
 * disk that fails, nothing is tried: libraries of engines break where the system refuses them one write after the other.
 *
 * The file is never opened here: whoever closes a file lets go of all locks that his process has on it, and those of SQLite are such locks.
 */
export class StandingFile {
  readonly #path: string;
  readonly #opened: string | undefined;

  /** To be made when the file has just been opened. */
  constructor(path: string) {
    this.#path = path;
    this.#opened = this.#look();
  }

  /** What writers are told while another file, or none, stands where this one was, or nobody may write there; undefined: it may be written. */
  get failure(): StorageFailure | undefined {
    if (this.#opened === undefined) return undefined;
    if (this.#look() === this.#opened) return this.#readOnly();
    const told = `${this.#path} is not the file any more that this server has open: what is written now would be lost`;
    return new StorageFailure('unavailable', `${told}. Put it back where it was; where it was deleted, restore a backup and start this server anew`);
  }

  #readOnly(): StorageFailure | undefined {
    try {
      accessSync(this.#path, constants.W_OK);
      return undefined;
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException;
      if (code !== 'EROFS') return undefined;
      const told = `${this.#path} takes no writes any more (${message}): look for what the system says about its disk`;
      return new StorageFailure('unavailable', `${told}. It is read only until it can be written again`, { cause });
    }
  }

  /** undefined: nothing stands there, or it cannot be looked at. */
  #look(): string | undefined {
    try {
      const { dev, ino } = statSync(this.#path, { bigint: true });
      return `${dev} ${ino}`;
    } catch {
      return undefined;
    }
  }
}
