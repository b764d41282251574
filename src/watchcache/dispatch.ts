import { PrefixIndex } from '#base';
import type { ApiObject } from '#api';
import type { ChangeEvents, Revision, WatchEvent, WatchQuery, Watcher } from '#storage';

/** Watches that see the same: what they see is found out once, and they all get the same batch. */
class Group<T extends ApiObject> {
  readonly matches: WatchQuery<T>['matches'];
  readonly watchers = new Set<Watcher<T>>();
  batch: WatchEvent<T>[] = [];

  constructor(matches: WatchQuery<T>['matches']) {
    this.matches = matches;
  }

  send(): void {
    const { batch } = this;
    this.batch = [];
    const first = batch[0]?.revision ?? 0;
    for (const watcher of this.watchers) {
      // Some wait for a revision that lies ahead.
      const missing = watcher.position < first ? batch : batch.filter(({ revision }) => revision > watcher.position);
      if (missing.length > 0) watcher.send(missing);
    }
  }
}

/** Hands changes to the watches they concern. A change costs nothing to watches of other names and namespaces. @spec 4.5 */
export class Dispatch<T extends ApiObject> {
  readonly #groups = new PrefixIndex<Group<T>>();
  readonly #groupOf = new Map<string, Group<T>>();
  readonly #watchers = new Set<Watcher<T>>();

  /** From now on the watch gets every change after its position. */
  add(watcher: Watcher<T>): void {
    const { prefix } = watcher.query;
    const group = this.#join(watcher);
    this.#watchers.add(watcher);
    watcher.onEnd(() => {
      this.#watchers.delete(watcher);
      group.watchers.delete(watcher);
      if (group.watchers.size > 0) return;
      this.#groups.remove(prefix, group);
      const name = nameOf(watcher.query);
      if (name !== undefined) this.#groupOf.delete(name);
    });
  }

  /** All changes of one moment, in order. */
  send(changes: readonly ChangeEvents<T>[]): void {
    const concerned = new Set<Group<T>>();
    for (const change of changes) {
      this.#groups.matching(change.key, (group) => {
        const event = change.seenBy(group.matches);
        if (event === undefined) return;
        group.batch.push(event);
        concerned.add(group);
      });
    }
    for (const group of concerned) group.send();
    for (const change of changes) change.forgetEvents();
  }

  /** Tells who wants to know that everything up to `revision` was sent. */
  bookmark(revision: Revision): void {
    const batch: readonly WatchEvent<T>[] = [{ type: 'BOOKMARK', revision }];
    for (const watcher of this.#watchers) if (watcher.query.bookmarks && watcher.position <= revision) watcher.send(batch);
  }

  #join(watcher: Watcher<T>): Group<T> {
    const { prefix, matches } = watcher.query;
    const name = nameOf(watcher.query);
    let group = name === undefined ? undefined : this.#groupOf.get(name);
    if (group === undefined) {
      group = new Group(matches);
      this.#groups.add(prefix, group);
      if (name !== undefined) this.#groupOf.set(name, group);
    }
    group.watchers.add(watcher);
    return group;
  }
}

/** Watches of the same name see the same; undefined: nobody can tell. */
const nameOf = <T extends ApiObject>({ prefix, matches, matchesText }: WatchQuery<T>): string | undefined =>
  matches === undefined ? prefix : matchesText === undefined ? undefined : `${prefix} ${matchesText}`;
