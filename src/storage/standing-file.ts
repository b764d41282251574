import { statSync } from 'node:fs';
import { StorageFailure } from './engine.ts';

/**
 * The file as it was opened. One that is removed, moved away or replaced under a server can still be read and written, and whatever is
 * written to it is gone with the process: nothing of that may be called durable.
 */
export class StandingFile {
  readonly #path: string;
  readonly #opened: string | undefined;

  /** To be made when the file has just been opened. */
  constructor(path: string) {
    this.#path = path;
    this.#opened = this.#look();
  }

  /** What writers are told while another file, or none, stands where this one was; undefined while it stands there. */
  get failure(): StorageFailure | undefined {
    if (this.#opened === undefined || this.#look() === this.#opened) return undefined;
    const told = `${this.#path} is not the file any more that this server has open: what is written now would be lost`;
    return new StorageFailure('unavailable', `${told}. Put it back where it was; where it was deleted, restore a backup and start this server anew`);
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
