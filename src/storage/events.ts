import type { ApiObject } from '#api';
import type { Change } from './engine.ts';
import type { Key, Revision } from './entry.ts';
import type { Stored, WatchEvent } from './object-store.ts';
import { createStored, atRevision, type KindCodec } from './stored.ts';

type Matches<T extends ApiObject> = ((stored: Stored<T>) => boolean) | undefined;
type Select<T extends ApiObject> = KindCodec<T>['select'];
/** An event that has an object. */
type ObjectEvent<T extends ApiObject> = Exclude<WatchEvent<T>, { readonly type: 'BOOKMARK' }>;

/** One change, for any number of watchers: each event is made once, for the first watcher that needs it, and then shared. */
export class ChangeEvents<T extends ApiObject> {
  readonly key: Key;
  readonly revision: Revision;
  readonly before: Stored<T> | undefined;
  readonly after: Stored<T> | undefined;
  readonly #select: Select<T>;
  #added: ObjectEvent<T> | undefined = undefined;
  #modified: ObjectEvent<T> | undefined = undefined;
  #deleted: ObjectEvent<T> | undefined = undefined;

  constructor(key: Key, revision: Revision, states: { readonly before: Stored<T> | undefined; readonly after: Stored<T> | undefined }, select: Select<T>) {
    this.key = key;
    this.revision = revision;
    this.before = states.before;
    this.after = states.after;
    this.#select = select;
  }

  /** The event for a watcher with this selector; an object that starts to match is ADDED, one that stops is DELETED. undefined: no event. @spec 4.5 */
  seenBy(matches: Matches<T>): ObjectEvent<T> | undefined {
    const { before, after, revision } = this;
    const did = before !== undefined && (matches === undefined || matches(before));
    if (after !== undefined && (matches === undefined || matches(after))) {
      if (did) return (this.#modified ??= { type: 'MODIFIED', stored: after, revision });
      return (this.#added ??= { type: 'ADDED', stored: after, revision });
    }
    return did ? (this.#deleted ??= { type: 'DELETED', stored: this.#last(before), revision }) : undefined;
  }

  /** Drops the events, and with them the encodings kept at them. A watcher that is behind gets new ones. */
  forgetEvents(): void {
    this.#added = undefined;
    this.#modified = undefined;
    this.#deleted = undefined;
  }

  /** The last state of an object, with the revision of its removal as its resourceVersion. */
  #last(before: Stored<T>): Stored<T> {
    return atRevision(before, this.revision, this.#select);
  }
}

/** The events of a change that an engine delivered. */
export function eventsOf<T extends ApiObject>({ key, revision, value, before }: Change, select: Select<T>): ChangeEvents<T> {
  const states = { before: before && createStored<T>(before, select), after: value && createStored<T>({ key, revision, value }, select) };
  return new ChangeEvents(key, revision, states, select);
}

/** The events of each change of a batch, made as they are asked for. */
export function* eventsOfEach<T extends ApiObject>(batch: Iterable<Change>, select: Select<T>): Generator<ChangeEvents<T>> {
  for (const change of batch) yield eventsOf(change, select);
}
