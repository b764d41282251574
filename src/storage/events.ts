import type { ApiObject } from '#api';
import type { Change, Key, Revision } from './engine.ts';
import type { Stored, WatchEvent } from './object-store.ts';
import { createShown, createStored, type KindCodec } from './stored.ts';

type Matches<T extends ApiObject> = ((stored: Stored<T>) => boolean) | undefined;

/** One change, ready for any number of watchers: each state and each event is made once, by the first who needs it. */
export class ChangeEvents<T extends ApiObject> {
  readonly key: Key;
  readonly revision: Revision;
  readonly #change: Change;
  readonly #select: KindCodec<T>['select'];
  #gone: Stored<T> | undefined = undefined;

  constructor(change: Change, select: KindCodec<T>['select']) {
    this.key = change.key;
    this.revision = change.revision;
    this.#change = change;
    this.#select = select;
  }

  /** What a watcher sees of it: an entry that begins or stops to match comes or goes. @spec 4.5 */
  seenBy(matches: Matches<T>): WatchEvent<T> | undefined {
    const before = this.#before();
    const after = this.#after();
    const did = before !== undefined && (matches === undefined || matches(before));
    const does = after !== undefined && (matches === undefined || matches(after));
    if (does) return { type: did ? 'MODIFIED' : 'ADDED', stored: after, revision: this.revision };
    return did ? { type: 'DELETED', stored: this.#last(), revision: this.revision } : undefined;
  }

  #before(): Stored<T> | undefined {
    return this.#change.before && createStored(this.#change.before, this.#select);
  }

  #after(): Stored<T> | undefined {
    const { key, revision, value } = this.#change;
    return value && createStored({ key, revision, value }, this.#select);
  }

  /** The state before, at the revision that ended it. */
  #last(): Stored<T> {
    const { before } = this.#change;
    return (this.#gone ??= createShown<T>(this.key, before!.value, this.revision, this.#select));
  }
}
