import { steady, type Clock } from '#base';
import type { ApiObject } from '#api';
import type { Revision } from '#storage';
import type { Snapshot } from './snapshot.ts';

/** A client that asks for its next page later than this gets the page from the engine. */
const KEEP_MS = 30_000;
/** Each snapshot keeps in memory what was replaced since it was taken. */
const MAX_KEPT = 4;

/** Snapshots that clients are listing page by page, by revision. @spec 4.4 */
export class Snapshots<T extends ApiObject> {
  readonly #clock: Clock;
  readonly #kept = new Map<Revision, { readonly snapshot: Snapshot<T>; untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = steady(clock);
  }

  keep(revision: Revision, snapshot: Snapshot<T>): void {
    this.#kept.delete(revision);
    this.#kept.set(revision, { snapshot, untilMs: this.#clock.nowMs() + KEEP_MS });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  at(revision: Revision): Snapshot<T> | undefined {
    const kept = this.#kept.get(revision);
    return kept !== undefined && kept.untilMs > this.#clock.nowMs() ? kept.snapshot : undefined;
  }

  forgetOld(): void {
    const nowMs = this.#clock.nowMs();
    for (const [revision, { untilMs }] of this.#kept) if (untilMs <= nowMs) this.#kept.delete(revision);
  }

  clear(): void {
    this.#kept.clear();
  }
}
