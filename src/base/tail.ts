import { isTurnLong, nextTurn } from './next-turn.ts';

/** The source from which readers that are behind get the items they missed. */
export interface TailSource<T> {
  /**
   * Some items after `after` and up to `upTo`, oldest first, and the position that they reach (beyond `after`). If it throws, the reader is ended.
   */
  read(after: number, upTo: number): { readonly items: readonly T[]; readonly position: number };
}

/** A reader of a `Tail`. */
export interface TailReader<T> {
  readonly wants: (item: T) => boolean;
  readonly positionOf: (item: T) => number;
  /** With these items, all wanted ones up to and including `position` have been delivered. If it throws, the reader is ended. */
  deliver(items: readonly T[], position: number): void;
  /** The reader was ended: nothing more is delivered. */
  failed(cause: unknown): void;
}

interface Attached<T> extends TailReader<T> {
  /** The position up to which items were delivered, or lie before the start. */
  position: number;
  gone: boolean;
}

/**
 * The end of a growing log with many readers. Each reader gets every item after its start exactly once and in order: first from the source, slice by
 * slice with a turn of the event loop between two slices, and once it has caught up, as items are published. Readers at the same place share the
 * slices, and however many are behind, they wait for their turn together: others' long work is not queued behind each of them.
 */
export class Tail<T> {
  readonly #source: TailSource<T>;
  readonly #live = new Set<Attached<T>>();
  readonly #behind = new Set<Attached<T>>();
  /** Without items: they are in the source. */
  readonly #published: { readonly items?: readonly T[]; readonly position: number }[] = [];
  #position: number;
  #publishing = false;
  #catchingUp = false;
  /** Aborted when nobody is behind any more. */
  #waiting = new AbortController();

  constructor(position: number, source: TailSource<T>) {
    this.#position = position;
    this.#source = source;
  }

  /** The position up to which all items were published. */
  get position(): number {
    return this.#position;
  }

  /** Delivers new items to all readers. When called during a delivery, the items are delivered after it, so that the order holds. */
  publish(items: readonly T[], position: number): void {
    this.#publish({ items, position });
  }

  /** The same for items that are in the source, however many: the readers catch up with them. */
  publishFromSource(position: number): void {
    this.#publish({ position });
  }

  #publish(published: { readonly items?: readonly T[]; readonly position: number }): void {
    this.#published.push(published);
    if (this.#publishing) return;
    this.#publishing = true;
    for (let next = this.#published.shift(); next !== undefined; next = this.#published.shift()) {
      const { items, position } = next;
      this.#position = position;
      for (const reader of this.#live) {
        if (items !== undefined) this.#hand(reader, items, position);
        else if (reader.position < position) this.#leaveBehind(reader);
      }
    }
    this.#publishing = false;
  }

  #leaveBehind(reader: Attached<T>): void {
    this.#live.delete(reader);
    this.#behind.add(reader);
    this.#startCatchingUp();
  }

  /**
   * Adds a reader that starts after position `after`. If that is ahead, nothing is delivered until it is passed. Returns a function that removes it.
   */
  attach(after: number, reader: TailReader<T>): () => void {
    const attached: Attached<T> = {
      wants: (item) => reader.wants(item),
      positionOf: (item) => reader.positionOf(item),
      deliver: (items, position) => reader.deliver(items, position),
      failed: (cause) => reader.failed(cause),
      position: after,
      gone: false,
    };
    if (after >= this.#position) this.#live.add(attached);
    else this.#leaveBehind(attached);
    return () => this.#remove(attached);
  }

  /** Ends every reader with this cause. */
  fail(cause: unknown): void {
    for (const reader of [...this.#live, ...this.#behind]) this.#end(reader, cause);
  }

  #startCatchingUp(): void {
    if (this.#catchingUp) return;
    this.#catchingUp = true;
    queueMicrotask(() => void this.#catchUp());
  }

  /** In rounds: each gives every reader that is behind one slice, so that none waits until another has caught up. */
  async #catchUp(): Promise<void> {
    while (this.#behind.size > 0) {
      if (this.#waiting.signal.aborted) this.#waiting = new AbortController();
      const round = [...this.#behind].sort((one, other) => one.position - other.position);
      for (let at = 0; at < round.length; ) at = await this.#advance(round, at);
      if (this.#behind.size > 0) await nextTurn(this.#waiting.signal);
    }
    this.#catchingUp = false;
  }

  /** Gives the reader at this place of the round its slice, and what lies after their own start to the readers within. Returns the place of the next one. */
  async #advance(round: readonly Attached<T>[], at: number): Promise<number> {
    if (isTurnLong()) await nextTurn(this.#waiting.signal);
    const first = round[at]!;
    if (first.gone) return at + 1;
    let slice: ReturnType<TailSource<T>['read']>;
    try {
      slice = this.#source.read(first.position, this.#position);
    } catch (cause) {
      this.#end(first, cause);
      return at + 1;
    }
    let next = at;
    for (let reader = round[next]; reader !== undefined && reader.position < slice.position; reader = round[++next]) {
      if (isTurnLong()) await nextTurn(this.#waiting.signal);
      this.#hand(reader, slice.items, slice.position);
      if (reader.position >= this.#position && this.#behind.delete(reader)) this.#live.add(reader);
    }
    return Math.max(next, at + 1);
  }

  #hand(reader: Attached<T>, items: readonly T[], position: number): void {
    if (reader.gone || position <= reader.position) return;
    const wanted = items.filter((item) => reader.positionOf(item) > reader.position && reader.wants(item));
    reader.position = position;
    try {
      reader.deliver(wanted, position);
    } catch (cause) {
      this.#end(reader, cause);
    }
  }

  #end(reader: Attached<T>, cause: unknown): void {
    if (reader.gone) return;
    this.#remove(reader);
    reader.failed(cause);
  }

  #remove(reader: Attached<T>): void {
    reader.gone = true;
    this.#live.delete(reader);
    if (this.#behind.delete(reader) && this.#behind.size === 0) this.#waiting.abort(OVER);
  }
}

/** The reason of the abort: without one, an error would be created whose stack keeps in memory whoever was the last one behind. */
const OVER = 'nobody is behind';
