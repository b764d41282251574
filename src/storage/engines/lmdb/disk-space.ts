import { FASTEST_FILLING_BYTES_PER_MS, SPACE_KNOWN_MS } from './limits.ts';

/**
 * The disk space that writes may use. Asking the system for each group would cost as much as a put, so a measurement is used until half of it is
 * reserved, and for no longer than other programs would need, at the fastest, to use up all of it (`FASTEST_FILLING_BYTES_PER_MS`).
 */
export class DiskSpace {
  readonly #measure: () => number;
  readonly #nowMs: () => number;
  #leftBytes = 0;
  /** With less than this left, the free space is measured again. */
  #enoughBytes = 0;
  #knownUntilMs = -Infinity;
  /** Reserved by writes of the current group, which are not in the file yet: a measurement does not include them. */
  #underWayBytes = 0;

  /** `measure`: the number of bytes that writes may use at present. `nowMs`: a monotonic clock. */
  constructor(measure: () => number, nowMs: () => number) {
    this.#measure = measure;
    this.#nowMs = nowMs;
  }

  /** A group begins: the reservations of the previous one are in the file. */
  beginGroup(): void {
    this.#underWayBytes = 0;
    if (this.#nowMs() >= this.#knownUntilMs) this.#enoughBytes = Infinity;
  }

  /** A write failed: the next reservation measures again. */
  forget(): void {
    this.#enoughBytes = Infinity;
  }

  /** How many bytes the writes of this group have reserved. */
  get groupBytes(): number {
    return this.#underWayBytes;
  }

  /** Reserves `bytes` for a write of this group; false, without reserving, if less than `needed` are left. */
  reserve(needed: number, bytes: number): boolean {
    if (this.#leftBytes - needed < this.#enoughBytes) this.#remeasure();
    if (this.#leftBytes < needed) {
      // The next write measures again, because space may have been freed.
      this.#enoughBytes = Infinity;
      return false;
    }
    this.#leftBytes -= bytes;
    this.#underWayBytes += bytes;
    return true;
  }

  #remeasure(): void {
    this.#leftBytes = this.#measure() - this.#underWayBytes;
    this.#enoughBytes = this.#leftBytes / 2;
    this.#knownUntilMs = this.#nowMs() + Math.min(SPACE_KNOWN_MS, this.#leftBytes / FASTEST_FILLING_BYTES_PER_MS);
  }
}
