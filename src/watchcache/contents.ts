import { nextTurn } from '#base';
import type { ApiObject } from '#api';
import {
  ChangeEvents,
  createStored,
  endOf,
  readNewest,
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
  /** Gets new changes, in order; reads already show them. */
  readonly onChanges: (changes: readonly ChangeEvents<T>[]) => void;
  /** Called when the feed was lost and the memory emptied. */
  readonly onLost: (why: StorageFailure) => void;
}

/** A loss of the feed. Compared by identity, because the same failure may end the feed twice. */
interface Loss {
  readonly why: StorageFailure;
}

/**
 * The memory of one resource: its last changes, from the time it is first followed, and its state (all objects), from the time that is first needed;
 * both until the feed is lost. Watches need only the changes: the state is large, and each change of the engine includes the previous entry.
 */
export class Contents<T extends ApiObject> implements FeedReader {
  readonly #options: ContentsOptions<T>;
  readonly #state = new State<T>();
  readonly #history: History<T>;
  /** Changes that arrive while the state is being read, to be applied to it afterwards. */
  #pending: ChangeEvents<T>[] = [];
  /** Changes that were not passed to `onChanges` yet. */
  #fresh: ChangeEvents<T>[] = [];
  #isFed = false;
  #feeding: Promise<void> | undefined;
  #isOn = false;
  #loading: Promise<void> | undefined;
  /** The last loss of the feed. */
  #loss: Loss | undefined;
  /** The revision at which the state was read. */
  #loadedAt: Revision = 0;

  constructor(options: ContentsOptions<T>) {
    this.#options = options;
    this.#history = new History(options.history);
  }

  /** Whether the state is in memory. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Whether the state is being read. */
  get isLoading(): boolean {
    return this.#loading !== undefined;
  }

  /** Whether the feed delivers changes. */
  get isFed(): boolean {
    return this.#isFed;
  }

  /** Whether anything is in memory, or will be. */
  get isKept(): boolean {
    return this.#isFed || this.#feeding !== undefined || this.isLoading;
  }

  /** The revision up to which the feed has delivered all changes. The state may be newer. */
  get deliveredUpTo(): Revision {
    return this.#options.feed.position;
  }

  /** The revision that the state shows. */
  get position(): Revision {
    return Math.max(this.#loadedAt, this.#options.feed.position);
  }

  get snapshot(): Snapshot<T> {
    return this.#state.snapshot;
  }

  get(key: Key): Stored<T> | undefined {
    return this.#state.get(key);
  }

  /** All changes after `revision`; undefined: some are no longer in memory, and the engine must be asked. */
  after(revision: Revision): readonly ChangeEvents<T>[] | undefined {
    return this.#history.after(revision);
  }

  /** Resolves when the state is in memory; undefined: it is. Rejects with `StorageFailure`. */
  ready(): Promise<void> | undefined {
    if (this.#isOn) return undefined;
    return (this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
      this.#pending = [];
    }));
  }

  /** Resolves when the feed delivers every change after `deliveredUpTo`; undefined: it does. Rejects with `StorageFailure`. */
  followed(): Promise<void> | undefined {
    if (this.#isFed) return undefined;
    return (this.#feeding ??= this.#follow().finally(() => (this.#feeding = undefined)));
  }

  /** Frees the memory of the state. */
  unload(): void {
    this.#isOn = false;
    this.#state.load([]);
  }

  /** Stops following and frees all memory. */
  stop(): void {
    const { feed, prefix } = this.#options;
    feed.detach(prefix, this);
    this.unload();
    this.#isFed = false;
    this.#fresh = [];
    this.#history.reset(0);
  }

  change(made: Change): void {
    if (!this.#isFed) return;
    const { key, revision, value } = made;
    const { select } = this.#options;
    const after = value && createStored<T>({ key, revision, value }, select);
    const change = new ChangeEvents<T>(key, revision, { before: this.#before(made), after }, select);
    this.#history.add(change, this.#isOn);
    this.#fresh.push(change);
    if (this.#isOn) this.#take(change);
    else if (this.isLoading) this.#pending.push(change);
  }

  flush(): void {
    const fresh = this.#fresh;
    this.#fresh = [];
    this.#options.onChanges(fresh);
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
    // The feed is attached before the state is read, so that no change falls between the two.
    await this.followed();
    const { entries, revision } = await readNewest(() => this.#readAll());
    this.#checkFed(loss);
    this.#loadedAt = revision;
    this.#state.load(entries);
    this.#isOn = true;
    for (const change of this.#pending) this.#take(change);
  }

  /**
   * Throws if the feed was lost since `before`, even if another reader has attached to it again meanwhile: what was read may lack changes. A `compacted`
   * becomes `unavailable`, because the caller did not ask for a compacted revision.
   */
  #checkFed(before: Loss | undefined): void {
    if (this.#loss === undefined || this.#loss === before) return;
    const { why } = this.#loss;
    throw why.code === 'compacted' ? new StorageFailure('unavailable', `the store forgot changes before they were told: ${why.message}`, { cause: why }) : why;
  }

  /** Reads all entries slice by slice, as of one revision. */
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

  /** What stood at the key before a change. What the state shows need not be read from the change. */
  #before(change: Change): Stored<T> | undefined {
    const known = this.#isOn && change.revision > this.#loadedAt ? this.#state.get(change.key) : undefined;
    if (known !== undefined) return known;
    const { before } = change;
    return before && createStored<T>(before, this.#options.select);
  }

  #take({ key, revision, after }: ChangeEvents<T>): void {
    if (revision <= this.#loadedAt) return;
    if (after === undefined) this.#state.delete(key);
    else this.#state.set(after);
  }
}
