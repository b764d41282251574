import { existsSync, readFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;
const MIB = 1024 * 1024;

/** Resident memory of a process over time. */
export class MemorySamples {
  readonly #pid: number;
  readonly #mib: number[] = [];

  constructor(pid: number) {
    this.#pid = pid;
  }

  /** false: there is no such process any more. */
  take(): boolean {
    if (!existsSync(`/proc/${this.#pid}/statm`)) return false;
    // The second number is that of resident pages; what is mapped from a file, as the store is, counts in the third and not as growth.
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${this.#pid}/statm`, 'utf8').split(' ').map(Number);
    this.#mib.push(((resident - shared) * PAGE_BYTES) / MIB);
    return true;
  }

  /** MiB of the largest sample. */
  highestMib(): number {
    return Math.max(0, ...this.#mib);
  }

  /** MiB in the middle of the second and of the last quarter: the first warms up. */
  grown(): { readonly early: number; readonly late: number } {
    const quarter = Math.max(1, Math.floor(this.#mib.length / 4));
    return { early: middle(this.#mib.slice(quarter, 2 * quarter)), late: middle(this.#mib.slice(-quarter)) };
  }
}

const middle = (numbers: readonly number[]): number => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
