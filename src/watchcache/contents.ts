import { nextTurn } from '#base';
import type { ApiObject } from '#api';
import {
  ChangeEvents,
  createStored,
  endOf,
  scanSlice,
  StorageFailure,
  type Change,
  type Engine,
  type Key,
  type KindCodec,
  type Revision,
  type Slice,
  type Stored,
} from '#storage';
import type { EngineFeed, FeedReader } from './feed.ts';
import { History, type HistoryBounds } from './history.ts';
import type { Snapshot } from './snapshot.ts';
import { State } from './state.ts';

export interface ContentsOptions<T extends ApiObject> {
  readonly engine: Engine;
  readonly feed: EngineFeed;
  readonly prefix: Key;
  readonly select: KindCodec<T>['select'];
  readonly history?: HistoryBounds | undefined;
  /** New changes, in order; reads show them already. */
  readonly onChanges: (changes: readonly ChangeEvents<T>[]) => void;
  /** Nothing is known any more. */
  readonly onLost: (why: StorageFailure) => void;
}

/** Each is another one, also where the same failure ends the feed again. */
interface Loss {
  readonly why: StorageFailure;
}

/**
 * The last changes of one resource, from when it is first followed, and all that is stored of it, from when that is first asked for; both until
 * the feed is lost. Who follows needs no state: it is large, and the engine tells with each change what stood there before.
 */
export class Contents<T extends ApiObject> implements FeedReader {
  readonly #options: ContentsOptions<T>;
  readonly #state = new State<T>();
  readonly #history: History<T>;
  /** While the state is being read: told of, and not yet part of it. */
  #told: ChangeEvents<T>[] = [];
  /** Not yet handed on. */
  #fresh: ChangeEvents<T>[] = [];
  #isFed = false;
  #feeding: Promise<void> | undefined;
  #isOn = false;
  #loading: Promise<void> | undefined;
  /** The last time that the feed broke off. */
  #loss: Loss | undefined;
  #loadedAt: Revision = 0;

  constructor(options: ContentsOptions<T>) {
    this.#options = options;
    this.#history = new History(options.history);
  }

  /** Whether the state is here. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Whether the state is on its way. */
  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  /** Whether changes are told of. */
  get isFed(): boolean {
    return this.#isFed;
  }

  /** Something is here, or will be. */
  get isKept(): boolean {
    return this.#isFed || this.#feeding !== undefined || this.isLoading;
  }

  /** Every change up to here has been told of. The state may be ahead of that. */
  get toldUpTo(): Revision {
    return this.#options.feed.position;
  }

  /** The state shows everything up to here. */
  get position(): Revision {
    return Math.max(this.#loadedAt, this.#options.feed.position);
  }

  get snapshot(): Snapshot<T> {
    return this.#state.snapshot;
  }

  get(key: Key): Stored<T> | undefined {
    return this.#state.get(key);
  }

  /** Changes after `revision`; undefined where the engine must be asked. */
  after(revision: Revision): readonly ChangeEvents<T>[] | undefined {
    return this.#history.after(revision);
  }

  /** Resolves when reads can be answered from here; undefined: they can. Throws `StorageFailure`. */
  ready(): Promise<void> | undefined {
    if (this.#isOn) return undefined;
    return (this.#loading ??= this.#load().finally(() => (this.#loading = undefined)));
  }

  /** Resolves when every change after `toldUpTo` is told of; undefined: it is. Throws `StorageFailure`. */
  followed(): Promise<void> | undefined {
    if (this.#isFed) return undefined;
    return (this.#feeding ??= this.#follow().finally(() => (this.#feeding = undefined)));
  }

  /** Gives the memory of the state back. */
  unload(): void {
    this.#isOn = false;
    this.#state.load([]);
  }

  /** Gives all memory back. */
  stop(): void {
    const { feed, prefix } = this.#options;
    feed.detach(prefix, this);
    this.unload();
    this.#isFed = false;
    this.#told = [];
    this.#fresh = [];
    this.#history.reset(0);
  }

  change({ key, revision, value, before: last }: Change): void {
    if (!this.#isFed) return;
    const { select } = this.#options;
    const before = (this.#isOn && revision > this.#loadedAt ? this.#state.get(key) : undefined) ?? (last && createStored<T>(last, select));
    const after = value && createStored<T>({ key, revision, value }, select);
    const change = new ChangeEvents<T>(key, revision, { before, after }, select);
    this.#history.add(change, this.#isOn);
    this.#fresh.push(change);
    if (this.#isOn) this.#take(change);
    else if (this.isLoading) this.#told.push(change);
  }

  flush(): void {
    const fresh = this.#fresh;
    this.#fresh = [];
    if (fresh.length > 0) this.#options.onChanges(fresh);
  }

  lost(why: StorageFailure): void {
    this.#loss = { why };
    this.stop();
    this.#options.onLost(why);
  }

  async #follow(): Promise<void> {
    const { feed, prefix } = this.#options;
    const loss = this.#loss;
    await feed.attach(prefix, this);
    this.#checkFed(loss);
    this.#history.reset(feed.position);
    this.#isFed = true;
  }

  async #load(): Promise<void> {
    const loss = this.#loss;
    this.#told = [];
    try {
      // First the feed, then the state: nothing can slip between the two.
      await this.followed();
      const { entries, revision } = await this.#readAll();
      this.#checkFed(loss);
      this.#loadedAt = revision;
      this.#state.load(entries);
      this.#isOn = true;
      for (const change of this.#told.splice(0)) this.#take(change);
    } catch (cause) {
      this.unload();
      throw cause;
    }
  }

  /**
   * What was read means nothing when the feed broke off since `before`, also where somebody else follows it again by now. Whoever waits has asked for
   * nothing that is forgotten.
   */
  #checkFed(before: Loss | undefined): void {
    if (this.#loss === undefined || this.#loss === before) return;
    const { why } = this.#loss;
    throw why.code === 'compacted' ? new StorageFailure('unavailable', `the store forgot changes before they were told: ${why.message}`, { cause: why }) : why;
  }

  /** Slice by slice, all of one revision. */
  async #readAll(): Promise<{ readonly entries: readonly Stored<T>[]; readonly revision: Revision }> {
    const { engine, prefix, select } = this.#options;
    const end = endOf(prefix);
    const entries: Stored<T>[] = [];
    let start: Key | undefined = prefix;
    let at: Revision | undefined;
    while (start !== undefined) {
      if (at !== undefined) await nextTurn();
      const slice: Slice = await scanSlice(engine, { start, end, ...(at === undefined ? {} : { at }) });
      at = slice.revision;
      start = slice.next;
      for (const entry of slice.entries) entries.push(createStored<T>(entry, select));
    }
    return { entries, revision: at ?? 0 };
  }

  #take({ key, revision, after }: ChangeEvents<T>): void {
    if (revision <= this.#loadedAt) return;
    if (after === undefined) this.#state.delete(key);
    else this.#state.set(after);
  }
}
