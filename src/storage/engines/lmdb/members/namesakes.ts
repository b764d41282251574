import { world } from '../../../world.ts';

/**
 * Tells processes apart that have one id in several containers. LMDB cannot: it lets one process of an id read, and all reads of another fail. `world` is
 * that in which a process has its id.
 */
export class Namesakes {
  readonly #worlds = new Map([[process.pid, world()]]);

  /**
   * Whether that process can open the file: no other one with its id has it open. `open`: the ids of all that have, this process included.
   */
  admit(pid: number, worldOf: string, open: ReadonlySet<number>): boolean {
    for (const one of this.#worlds.keys()) if (!open.has(one)) this.#worlds.delete(one);
    if (open.has(pid) && this.#worlds.get(pid) !== worldOf) return false;
    this.note(pid, worldOf);
    return true;
  }

  /** That process has the file open, or is about to open it. */
  note(pid: number, worldOf: string): void {
    this.#worlds.set(pid, worldOf);
  }
}
