import { setImmediate } from './real-timers.ts';

/** Where readers that are behind get what they missed. */
export interface TailSource<T> {
  /** Some items after `after` and up to `upTo`, oldest first, and the position they reach (beyond `after`). May throw: the reader ends. */
  read(after: number, upTo: number): { readonly items: readonly T[]; readonly position: number };
}

export interface TailReader<T> {
  readonly wants: (item: T) => boolean;
  readonly positionOf: (item: T) => number;
  /** Everything wanted up to and including `position` has now been delivered. */
  deliver(items: readonly T[], position: number): void;
  /** Nothing more will come. */
  failed(cause: unknown): void;
}

interface Attached<T> extends TailReader<T> {
  /** Nothing at or before this is delivered (again). */
  position: number;
  gone: boolean;
}

/**
 * The end of an ever growing log with many readers. Each reader gets every item after its start exactly once and in order, first from the
 * source, slice by slice with a turn of the event loop between two, and from then on as items are published.
 */
export class Tail<T> {
  readonly #source: TailSource<T>;
  readonly #live = new Set<Attached<T>>();
  readonly #behind = new Set<Attached<T>>();
  readonly #published: { readonly items: readonly T[]; readonly position: number }[] = [];
  #position: number;
  #publishing = false;

  constructor(position: number, source: TailSource<T>) {
    this.#position = position;
    this.#source = source;
  }

  /** Everything up to here has been published. */
  get position(): number {
    return this.#position;
  }

  /** Hands new items to all readers. Called from inside a delivery it waits until that one is over, so order holds. */
  publish(items: readonly T[], position: number): void {
    this.#published.push({ items, position });
    if (this.#publishing) return;
    this.#publishing = true;
    for (let next = this.#published.shift(); next !== undefined; next = this.#published.shift()) {
      this.#position = next.position;
      for (const reader of this.#live) this.#hand(reader, next.items, next.position);
    }
    this.#publishing = false;
  }

  /** Starts after `after`, which may lie ahead: then nothing is delivered until it is passed. Returns what ends it. */
  attach(after: number, reader: TailReader<T>): () => void {
    const attached: Attached<T> = {
      wants: (item) => reader.wants(item),
      positionOf: (item) => reader.positionOf(item),
      deliver: (items, position) => reader.deliver(items, position),
      failed: (cause) => reader.failed(cause),
      position: after,
      gone: false,
    };
    if (after >= this.#position) {
      this.#live.add(attached);
    } else {
      this.#behind.add(attached);
      queueMicrotask(() => this.#catchUp(attached));
    }
    return () => this.#remove(attached);
  }

  /** Ends every reader. */
  fail(cause: unknown): void {
    for (const reader of [...this.#live, ...this.#behind]) this.#end(reader, cause);
  }

  #catchUp(reader: Attached<T>): void {
    if (reader.gone) return;
    try {
      const { items, position } = this.#source.read(reader.position, this.#position);
      this.#hand(reader, items, position);
    } catch (cause) {
      this.#end(reader, cause);
    }
    if (reader.gone) return;
    if (reader.position >= this.#position) {
      this.#behind.delete(reader);
      this.#live.add(reader);
    } else {
      setImmediate(() => this.#catchUp(reader));
    }
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
    this.#behind.delete(reader);
  }
}
