import { closeSync, openSync, writeSync } from 'node:fs';
import { takesNoWrites } from '../../opened-file.ts';
import type { StorageFailure } from '../../storage-failure.ts';

const NOTHING = new Uint8Array();

/**
 * Asks the system whether it takes writes to a file, by a write of no bytes. On a file system that has stopped because its disk failed, that is refused
 * like any other write, while its mount options and the rights of the file may say that all is well. LMDB must not be the one to find out: over a write
 * that fails it damages the memory of the process.
 */
export class WriteProbe {
  /** The descriptor of the file, open for as long as this. */
  readonly file: number;
  readonly #path: string;

  /** Throws the error of the system. LMDB locks another file, so that closing this one takes no lock away. */
  constructor(path: string) {
    this.#path = path;
    this.file = openSync(path, 'r+');
  }

  /** Why nothing may be written; undefined: the system takes writes. */
  get failure(): StorageFailure | undefined {
    try {
      writeSync(this.file, NOTHING);
      return undefined;
    } catch (cause) {
      return takesNoWrites(this.#path, cause);
    }
  }

  close(): void {
    closeSync(this.file);
  }
}
