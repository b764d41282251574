import type { ApiObject } from '#api';
import type { ChangeEvents, Revision, WatchEvent, WatchQuery, Watcher } from '#storage';
import { Triggers } from './triggers.ts';

/** Watches with the same prefix and selector: their events are computed once, and all of them get the same batch. */
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
      // A watch may have started at a revision that did not exist yet.
      const missing = watcher.position < first ? batch : batch.filter(({ revision }) => revision > watcher.position);
      if (missing.length > 0) watcher.send(missing);
    }
  }
}

/**
 * Delivers changes to the watches that they concern. A change costs nothing for watches of other names and namespaces, nor for those whose selector asks
 * for another value of a field: each kubelet watches the pods of its node.
 * @spec 4.5
 */
export class Dispatch<T extends ApiObject> {
  readonly #groups = new Triggers<Group<T>>();
  readonly #groupOf = new Map<string, Group<T>>();
  readonly #watchers = new Set<Watcher<T>>();

  /** Registers a watch: it gets every change after its position. */
  add(watcher: Watcher<T>): void {
    const group = this.#join(watcher);
    this.#watchers.add(watcher);
    watcher.onEnd(() => {
      this.#watchers.delete(watcher);
      group.watchers.delete(watcher);
      if (group.watchers.size > 0) return;
      this.#groups.remove(watcher.query, group);
      const name = nameOf(watcher.query);
      if (name !== undefined) this.#groupOf.delete(name);
    });
  }

  /** Delivers a batch of changes, in order of their revisions. */
  send(changes: readonly ChangeEvents<T>[]): void {
    const concerned = new Set<Group<T>>();
    for (const change of changes) {
      this.#groups.concerned(change, (group) => {
        const event = change.seenBy(group.matches);
        if (event === undefined) return;
        group.batch.push(event);
        concerned.add(group);
      });
    }
    for (const group of concerned) group.send();
    for (const change of changes) change.forgetEvents();
  }

  /** Sends a bookmark with `revision`, up to which all changes were sent, to the watches that want it. */
  bookmark(revision: Revision): void {
    const batch: readonly WatchEvent<T>[] = [{ type: 'BOOKMARK', revision }];
    for (const watcher of this.#watchers) if (watcher.wantsBookmark(revision)) watcher.send(batch);
  }

  #join(watcher: Watcher<T>): Group<T> {
    const name = nameOf(watcher.query);
    let group = name === undefined ? undefined : this.#groupOf.get(name);
    if (group === undefined) {
      group = new Group(watcher.query.matches);
      this.#groups.add(watcher.query, group);
      if (name !== undefined) this.#groupOf.set(name, group);
    }
    group.watchers.add(watcher);
    return group;
  }
}

/** Identifies a group: watches with the same name get the same events. undefined: the selector cannot be compared with others. */
const nameOf = <T extends ApiObject>({ prefix, matches, matchesText }: WatchQuery<T>): string | undefined =>
  matches === undefined ? prefix : matchesText === undefined ? undefined : `${prefix} ${matchesText}`;
