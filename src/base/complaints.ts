import { failureText } from './failure-text.ts';

/**
 * Tells why something fails that is tried again and again: each reason once, until it has succeeded. More than the last reason is remembered, since of two
 * files that are missing now the one is found so first, now the other.
 */
export class Complaints {
  readonly #tell: (why: string) => void;
  readonly #told = new Set<string>();

  constructor(tell: (why: string) => void) {
    this.#tell = tell;
  }

  /** It has failed. */
  add(cause: unknown): void {
    const why = failureText(cause);
    if (this.#told.has(why)) return;
    this.#told.add(why);
    this.#tell(why);
  }

  /** It has succeeded: from now on all is told again. */
  clear(): void {
    this.#told.clear();
  }
}
