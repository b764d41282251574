import { itemOf } from './objects.ts';
import type { ApiClient } from './api-client.ts';
import type { Recorder, Selected, WatchEventRecord } from './history.ts';
import type { Random } from './random.ts';

export interface FollowerOptions {
  readonly client: ApiClient;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly path: string;
  /** Absent: everything. */
  readonly only?: Selected;
  /** Ask for the state with the watch, in place of a list before it. */
  readonly startsWithState: boolean;
  readonly unexpected: (what: string) => void;
}

/** One client that lists and watches, leaves now and then, and resumes where it stopped. */
export class Follower {
  readonly #options: FollowerOptions;
  /** Where the next stream begins; undefined: anew. */
  #position: number | undefined;
  /** Where streams have begun. */
  readonly #passed: number[] = [];
  #stream: { leave(): void; readonly position: () => number } | undefined;
  #isStopped = false;
  #onReached: (() => void) | undefined;
  #target = Infinity;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  /** Until `stop`. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        const since = this.#fromLongAgo() ?? this.#position ?? (await this.#begin());
        if (typeof since === 'number') this.#passed.push(since);
        if (since !== undefined) await this.#follow(since);
      } catch {
        // The server is away.
      }
      if (!this.#isStopped) await pause(5);
    }
  }

  /** Closes the stream; the next resumes. */
  leave(): void {
    this.#stream?.leave();
  }

  /** Resolves when everything up to `revision` has come, or does not come within that time. */
  async reach(revision: number, withinMs: number): Promise<void> {
    this.#target = revision;
    const late = new AbortController();
    const reached = new Promise<void>((resolve) => (this.#onReached = resolve));
    this.#look();
    await Promise.race([reached, pause(withinMs, late.signal)]);
    late.abort();
  }

  stop(): void {
    this.#isStopped = true;
    this.leave();
  }

  #look(): void {
    if ((this.#stream?.position() ?? 0) >= this.#target) this.#onReached?.();
  }

  /** Now and then it resumes as one that slept since: meanwhile that may have been compacted. */
  #fromLongAgo(): number | undefined {
    const { random } = this.#options;
    return this.#passed.length > 0 && random.oneIn(4) ? random.pick(this.#passed) : undefined;
  }

  async #begin(): Promise<number | 'latest' | 'any' | undefined> {
    const { client, path, random, recorder, startsWithState } = this.#options;
    if (startsWithState) return random.oneIn(2) ? 'latest' : 'any';
    const isAny = random.oneIn(3);
    const start = recorder.now();
    const { status, body } = await client.send('GET', `${path}${isAny ? '?resourceVersion=0' : ''}`);
    if (status !== 200) return undefined;
    const revision = Number(body.metadata.resourceVersion);
    recorder.lists.push({ wanted: isAny ? 'any' : 'latest', revision, items: body.items.map(itemOf), start, end: recorder.now() });
    return revision;
  }

  async #follow(since: number | 'latest' | 'any'): Promise<void> {
    const { client, recorder, unexpected, only } = this.#options;
    const left = new AbortController();
    const events: WatchEventRecord[] = [];
    let position = typeof since === 'number' ? since : 0;
    let isExpired = false;
    const start = recorder.now();
    const tell = (): void => {
      if (only === undefined && typeof since === 'number') recorder.saw(since, position);
    };
    tell();
    const take = (line: { readonly type: string; readonly object: never } | undefined): void => {
      if (line === undefined || left.signal.aborted) return;
      const event = eventOf(line);
      if (event === undefined) {
        const { code, message } = line.object as { readonly code?: number; readonly message?: string };
        if (code === 410) isExpired = true;
        else if (line.type !== 'ERROR' || code === undefined || code < 500) unexpected(`a watch is told ${line.type} ${code}: ${message}`);
        return;
      }
      events.push(event);
      // Until a bookmark, the state it begins with says nothing about how far it has come; the last of what follows does.
      position = Math.max(position, event.type === 'BOOKMARK' ? event.revision : event.item.revision);
      tell();
      this.#look();
    };
    this.#stream = { leave: () => left.abort(), position: () => position };
    this.#look();
    try {
      const status = await client.lines(`${this.#options.path}?watch=true&allowWatchBookmarks=true${queryOf(since, only)}`, take, left.signal);
      if (status === 410) isExpired = true;
    } finally {
      this.#stream = undefined;
      const whole = this.#isStopped && Number.isFinite(this.#target) ? { completeTo: this.#target } : {};
      recorder.watches.push({ since, start, end: recorder.now(), events, isExpired, ...(only === undefined ? {} : { only }), ...whole });
      this.#position = this.#later(since, isExpired ? undefined : this.#nextPosition(since, events));
    }
  }

  /**
   * Where it goes on after a stream that came so far; undefined: anew. One from long ago does not take it back: if all followers passed over what came
   * between, nobody could say at which revision something was deleted.
   */
  #later(since: number | 'latest' | 'any', reached: number | undefined): number | undefined {
    const before = since === this.#position ? undefined : this.#position;
    return before === undefined || reached === undefined ? (before ?? reached) : Math.max(before, reached);
  }

  /** A state that was cut off cannot be resumed: nobody knows whether it was whole. */
  #nextPosition(since: number | 'latest' | 'any', events: readonly WatchEventRecord[]): number | undefined {
    const position = events.reduce((highest, event) => Math.max(highest, event.type === 'BOOKMARK' ? event.revision : event.item.revision), 0);
    if (typeof since === 'number') return Math.max(since, position);
    return events.some(({ type }) => type !== 'ADDED') ? position : undefined;
  }
}

function eventOf({ type, object }: { readonly type: string; readonly object: never }): WatchEventRecord | undefined {
  if (type === 'BOOKMARK') return { type, revision: itemOf(object).revision };
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED' ? { type, item: itemOf(object) } : undefined;
}

function queryOf(since: number | 'latest' | 'any', only: Selected = {}): string {
  const from = since === 'latest' ? '' : `&resourceVersion=${since === 'any' ? 0 : since}`;
  const ending = only.ending === undefined ? '' : `&labelSelector=ending=${only.ending}`;
  return `${from}${ending}${only.key === undefined ? '' : `&fieldSelector=metadata.name=${only.key}`}`;
}

const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
