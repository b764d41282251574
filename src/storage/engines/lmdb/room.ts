import { FASTEST_FILLING_BYTES_PER_MS, ROOM_KNOWN_MS } from './limits.ts';

/**
 * What writes may take from the disk. Asking the system for each group costs as much as a put, so what was measured holds for a while: until half
 * of it is promised, or as long as nobody else on the machine can have taken the rest.
 */
export class Room {
  readonly #measure: () => number;
  readonly #nowMs: () => number;
  #leftBytes = 0;
  /** With less than this left it is measured again. */
  #enoughBytes = 0;
  #knownUntilMs = -Infinity;
  /** Promised to writes of this group: what is measured now does not know of them. */
  #underWayBytes = 0;

  /** `measure`: bytes that writes may take just now. `nowMs`: of a clock that never goes back. */
  constructor(measure: () => number, nowMs: () => number) {
    this.#measure = measure;
    this.#nowMs = nowMs;
  }

  /** A group begins: what was promised before is in the file. */
  begin(): void {
    this.#underWayBytes = 0;
    if (this.#nowMs() >= this.#knownUntilMs) this.#enoughBytes = Infinity;
  }

  /** A write failed: whatever was measured, it is measured again. */
  forget(): void {
    this.#enoughBytes = Infinity;
  }

  /** Promises `bytes` to a write of this group, unless less than `needed` are left. */
  take(needed: number, bytes: number): boolean {
    if (this.#leftBytes - needed < this.#enoughBytes) this.#look();
    if (this.#leftBytes < needed) {
      // The next writer may find that room was made.
      this.#enoughBytes = Infinity;
      return false;
    }
    this.#leftBytes -= bytes;
    this.#underWayBytes += bytes;
    return true;
  }

  #look(): void {
    this.#leftBytes = this.#measure() - this.#underWayBytes;
    this.#enoughBytes = this.#leftBytes / 2;
    this.#knownUntilMs = this.#nowMs() + Math.min(ROOM_KNOWN_MS, this.#leftBytes / FASTEST_FILLING_BYTES_PER_MS);
  }
}
