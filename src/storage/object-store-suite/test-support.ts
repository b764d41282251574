import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { cloneJson, StillClock, type Clock } from '#base';
import type { ApiObject } from '#api';
import { Waiters } from '../engine-suite/test-support.ts';
import type { Engine } from '../engine.ts';
import type { Decide, EventSink, ObjectStore, Query, WatchEvent, WatchQuery, Written } from '../object-store.ts';
import { StorageFailure } from '../storage-failure.ts';
import type { KindCodec } from '../stored.ts';

export interface Note extends ApiObject {
  text?: string;
}

/** A codec that counts its calls of `encode` and `select`. */
export class NoteCodec implements KindCodec<Note> {
  encoded = 0;
  selected = 0;

  encode({ kind, apiVersion, metadata: { resourceVersion: _, ...metadata }, ...rest }: Note): Uint8Array {
    this.encoded++;
    return new TextEncoder().encode(JSON.stringify({ kind, apiVersion, metadata, ...rest }));
  }

  select = ({ text = '' }: Note): Record<string, string> => {
    this.selected++;
    return { text };
  };
}

export const PREFIX = '/registry/notes/';
export const note = (name: string, text: string, labels?: Record<string, string>): Note =>
  ({ kind: 'Note', apiVersion: 'v1', metadata: { name, namespace: 'n', ...(labels === undefined ? {} : { labels }) }, text });
export const keyOfNote = (name: string, namespace = 'n'): string => `${PREFIX}${namespace}/${name}`;

/** A sink that records events, and lets tests wait for them without a clock. */
export class Collector implements EventSink<Note> {
  readonly events_: WatchEvent<Note>[] = [];
  hasBegun = false;
  ended: { readonly cause: Error | undefined } | undefined;
  ends = 0;
  room = Infinity;
  readonly #waiters = new Waiters();

  begun(): void {
    assert.deepEqual([this.hasBegun, this.events_.length, this.ends], [false, 0, 0]);
    this.hasBegun = true;
  }

  events(batch: readonly WatchEvent<Note>[]): boolean {
    this.events_.push(...batch);
    this.#waiters.wake();
    return this.events_.length <= this.room;
  }

  end(cause?: Error): void {
    this.ended = { cause };
    this.ends++;
    this.#waiters.wake();
  }

  count(events: number): Promise<void> {
    return this.#waiters.until(() => this.events_.length >= events);
  }

  finished(): Promise<void> {
    return this.#waiters.until(() => this.ended !== undefined);
  }

  summary(): string[] {
    return this.events_.map((event) =>
      event.type === 'BOOKMARK'
        ? `BOOKMARK ${event.revision}`
        : `${event.type} ${event.stored.object.metadata.name}=${event.stored.object.text} ${event.stored.object.metadata.resourceVersion}`,
    );
  }
}

export interface SuiteStore {
  readonly store: ObjectStore<Note>;
  readonly engine: Engine;
  readonly codec: NoteCodec;
  close(): Promise<void>;
}

/** What `create` throws when the object exists already. */
export const taken = new Error('already exists');
export const setText = (text: string) => (live: Note) => void (live.text = text);
export const isFailure = (code: string) => (error: unknown) => error instanceof StorageFailure && error.code === code;

/** The store under test: a new one for each test. */
export class TestedStore {
  /** The store still has changes that the engine has compacted. */
  readonly remembersLonger: boolean;
  clock!: StillClock;
  /** Ends the watches of the test. */
  watches!: AbortController;
  readonly #open: (clock: Clock) => Promise<SuiteStore>;
  #opened!: SuiteStore;

  constructor(open: (clock: Clock) => Promise<SuiteStore>, remembersLonger: boolean) {
    this.#open = open;
    this.remembersLonger = remembersLonger;
  }

  get store(): ObjectStore<Note> {
    return this.#opened.store;
  }

  get engine(): Engine {
    return this.#opened.engine;
  }

  get codec(): NoteCodec {
    return this.#opened.codec;
  }

  async open(): Promise<void> {
    this.clock = new StillClock();
    this.watches = new AbortController();
    setMaxListeners(0, this.watches.signal);
    this.#opened = await this.#open(this.clock);
  }

  close(): Promise<void> {
    this.watches.abort();
    return this.#opened.close();
  }

  readonly create = (object: Note, hints = {}): Promise<Written<Note>> => {
    const decide: Decide<Note> = async (live) => {
      if (live !== undefined) throw taken;
      return { put: object };
    };
    return this.store.write(keyOfNote(object.metadata.name ?? '', object.metadata.namespace), decide, hints);
  };

  readonly update = (name: string, change: (live: Note) => void, hints = {}): Promise<Written<Note>> =>
    this.store.write(
      keyOfNote(name),
      async (live) => {
        assert.ok(live, `${name} is there`);
        const next = cloneJson(live);
        change(next);
        return { put: next };
      },
      hints,
    );

  readonly remove = (name: string, hints = {}): Promise<Written<Note>> => this.store.write(keyOfNote(name), async () => ({ remove: true }), hints);

  readonly watch = async (query: Partial<WatchQuery<Note>> = {}, signal: AbortSignal = this.watches.signal): Promise<Collector> => {
    const collector = new Collector();
    await this.store.watch({ prefix: PREFIX, since: 'latest', bookmarks: false, ...query }, collector, signal);
    assert.ok(collector.hasBegun || collector.ended !== undefined, 'a watch that is open has begun');
    return collector;
  };

  readonly names = async (query: Partial<Query<Note>> = {}): Promise<(string | undefined)[]> =>
    (await this.store.list({ prefix: PREFIX, freshness: 'latest', ...query })).items.map((item) => item.object.metadata.name);

  /** The outcome of work that may first wait for the clock: lets time pass until it settles. */
  async afterWaiting<R>(work: Promise<R>): Promise<R> {
    const state = { isPending: true };
    const settled = work.finally(() => (state.isPending = false));
    settled.catch(() => {});
    while (state.isPending) {
      this.clock.turn(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return settled;
  }
}
