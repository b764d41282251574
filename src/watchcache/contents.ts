import type { ApiObject } from '#api';
import {
  ChangeEvents,
  createStored,
  endOf,
  type Change,
  type Engine,
  type Key,
  type KindCodec,
  type Revision,
  type Stored,
  type StorageFailure,
} from '#storage';
import type { EngineFeed, FeedReader } from './feed.ts';
import { History, type HistoryBounds } from './history.ts';
import { State, type Snapshot } from './state.ts';

/** Entries read in one turn of the event loop. */
const PAGE = 500;
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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

/** All that is stored of one resource, and its last changes, from when it is first asked for until the feed is lost. */
export class Contents<T extends ApiObject> implements FeedReader {
  readonly #options: ContentsOptions<T>;
  readonly #state = new State<T>();
  readonly #history: History<T>;
  /** Told of and not yet taken in (while loading), or not yet handed on. */
  #told: Change[] = [];
  #fresh: ChangeEvents<T>[] = [];
  #isOn = false;
  #loading: Promise<void> | undefined;
  #failure: StorageFailure | undefined;
  #loadedAt: Revision = 0;

  constructor(options: ContentsOptions<T>) {
    this.#options = options;
    this.#history = new History(options.history);
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  /** Everything up to here is known. */
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

  /** Gives the memory back. */
  stop(): void {
    const { feed, prefix } = this.#options;
    feed.detach(prefix, this);
    this.#isOn = false;
    this.#told = [];
    this.#fresh = [];
    this.#state.load([]);
    this.#history.reset(0);
  }

  change(change: Change): void {
    if (this.#isOn) this.#take(change);
    else this.#told.push(change);
  }

  flush(): void {
    const fresh = this.#fresh;
    this.#fresh = [];
    if (fresh.length > 0) this.#options.onChanges(fresh);
  }

  lost(why: StorageFailure): void {
    this.#failure = why;
    this.stop();
    this.#options.onLost(why);
  }

  async #load(): Promise<void> {
    const { feed, prefix } = this.#options;
    this.#failure = undefined;
    this.#told = [];
    try {
      // First the feed, then the state: nothing can slip between the two.
      await feed.attach(prefix, this);
      const { entries, revision } = await this.#readAll();
      this.#checkFed();
      this.#loadedAt = revision;
      this.#state.load(entries);
      this.#history.reset(revision);
      this.#isOn = true;
      for (const change of this.#told.splice(0)) this.#take(change);
      // Watches begin after this.
      this.#fresh = [];
    } catch (cause) {
      this.stop();
      throw cause;
    }
  }

  /** What was read means nothing when the feed broke off meanwhile. */
  #checkFed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Page by page, all of one revision. */
  async #readAll(): Promise<{ readonly entries: readonly Stored<T>[]; readonly revision: Revision }> {
    const { engine, prefix, select } = this.#options;
    const end = endOf(prefix);
    const entries: Stored<T>[] = [];
    let start: Key | undefined = prefix;
    let at: Revision | undefined;
    while (start !== undefined) {
      if (at !== undefined) await nextTurn();
      const page = await engine.scan({ start, end, limit: PAGE + 1, ...(at === undefined ? {} : { at }) });
      at = page.revision;
      start = page.entries[PAGE]?.key;
      for (const entry of page.entries.slice(0, PAGE)) entries.push(createStored<T>(entry, select));
    }
    return { entries, revision: at ?? 0 };
  }

  #take({ key, revision, value }: Change): void {
    if (revision <= this.#loadedAt) return;
    const { select } = this.#options;
    const before = this.#state.get(key);
    const after = value && createStored<T>({ key, revision, value }, select);
    if (after === undefined) this.#state.delete(key);
    else this.#state.set(after);
    const change = new ChangeEvents<T>(key, revision, { before, after }, select);
    this.#history.add(change);
    this.#fresh.push(change);
  }
}
