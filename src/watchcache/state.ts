import type { ApiObject } from '#api';
import type { Key, Run, Stored } from '#storage';
import { positionOf, runOf, type Snapshot } from './snapshot.ts';

/** The size of a run: small enough to be copied with every change, large enough that encodings of whole runs are worth caching. */
const MAX_RUN = 64;
const FULL_RUN = 48;
/** Neighbouring runs that together have at most so many entries are merged. */
const MIN_RUN = 24;

/** The current objects of a resource, as copy-on-write runs. @spec 4.6 */
export class State<T extends ApiObject> {
  #runs: Run<T>[] = [];
  /** The array was handed out as a snapshot: the next change copies it. */
  #isShared = false;

  /** The current state; later changes do not affect it. */
  get snapshot(): Snapshot<T> {
    this.#isShared = true;
    return this.#runs;
  }

  get(key: Key): Stored<T> | undefined {
    const items = this.#runs[runOf(this.#runs, key)]?.items;
    if (items === undefined) return undefined;
    const found = items[positionOf(items, key)];
    return found?.key === key ? found : undefined;
  }

  /** Replaces all objects. `entries` must be in key order. */
  load(entries: readonly Stored<T>[]): void {
    this.#runs = [];
    this.#isShared = false;
    for (let at = 0; at < entries.length; at += FULL_RUN) this.#runs.push({ items: entries.slice(at, at + FULL_RUN) });
  }

  set(stored: Stored<T>): void {
    const runs = this.#own();
    const at = Math.min(runOf(runs, stored.key), Math.max(0, runs.length - 1));
    const items = [...(runs[at]?.items ?? [])];
    const place = positionOf(items, stored.key);
    items.splice(place, items[place]?.key === stored.key ? 1 : 0, stored);
    if (items.length <= MAX_RUN) runs[at] = { items };
    else runs.splice(at, 1, { items: items.slice(0, MAX_RUN / 2) }, { items: items.slice(MAX_RUN / 2) });
  }

  delete(key: Key): void {
    const at = runOf(this.#runs, key);
    const items = this.#runs[at]?.items ?? [];
    const place = positionOf(items, key);
    if (items[place]?.key !== key) return;
    const runs = this.#own();
    const left = items.toSpliced(place, 1);
    const next = runs[at + 1]?.items;
    if (left.length === 0) runs.splice(at, 1);
    else if (next !== undefined && left.length + next.length <= MIN_RUN) runs.splice(at, 2, { items: [...left, ...next] });
    else runs[at] = { items: left };
  }

  #own(): Run<T>[] {
    if (this.#isShared) {
      this.#runs = [...this.#runs];
      this.#isShared = false;
    }
    return this.#runs;
  }
}
