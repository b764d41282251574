import { clearInterval, setInterval } from '#base';
import type { Change, Revision, StorageFailure } from '../../engine.ts';
import { pause, type Cluster, type WatchStream } from './cluster.ts';
import { ForeignMember } from './continuity.ts';
import { failureOf } from './failures.ts';
import { toEntry } from './kv.ts';
import { LONGEST_RETRY_MS, RETRY_MS, SILENT_MS } from './limits.ts';
import type { Event, WatchAnswer } from './messages.ts';
import { textOf } from './wire.ts';

export interface WatchEnd {
  /** Everything up to and including `upTo`, whole revisions only. */
  changes(batch: readonly Change[], upTo: Revision): void;
  /** Nothing more will come. `'compacted'`: something after the last batch is forgotten. */
  lost(why: 'compacted' | StorageFailure): void;
}

/** Every key there is: etcd's own spelling of it. */
const ALL = Buffer.of(0);

/**
 * One watch of all keys after a revision, opened again wherever it breaks off, at the next member too.
 *
 * All keys, because then each revision of etcd shows as an event: progress is known without asking for it (a progress notification of etcd
 * before 3.4.25 and 3.5.8 may overtake the events before it), and a revision that is missing cannot go unnoticed. Values of keys outside the
 * root are dropped at once.
 */
export class KeyWatch {
  readonly #cluster: Cluster;
  readonly #root: Buffer;
  readonly #end: WatchEnd;
  #position: Revision;
  #stream: WatchStream | undefined;
  /** Events of an answer that came in pieces. */
  #pieces: Event[] = [];
  /** Whether the stream has said anything since it was looked at last. */
  #isHeard = false;
  #guard: NodeJS.Timeout | undefined;
  #ended = false;
  #retryMs = RETRY_MS;

  /** `after` must exist already. */
  constructor(cluster: Cluster, root: string, after: Revision, end: WatchEnd) {
    this.#cluster = cluster;
    this.#root = Buffer.from(root);
    this.#position = after;
    this.#end = end;
    this.#open();
  }

  stop(): void {
    this.#ended = true;
    this.#drop();
  }

  #open(): void {
    const { stream, avoid, check } = this.#cluster.openWatch();
    this.#stream = stream;
    this.#pieces = [];
    const broken = (): void => {
      if (this.#stream !== stream) return;
      avoid();
      this.#again();
    };
    stream.on('data', (answer: WatchAnswer) => {
      if (this.#stream !== stream) return;
      this.#isHeard = true;
      try {
        check(answer);
        // It waits for changes that are still to come there: either this member lags behind, or etcd went back.
        if (answer.created && answer.revision < this.#position) void this.#cluster.look();
        if (this.#take(answer) === 'broken') broken();
      } catch (error) {
        if (error instanceof ForeignMember) broken();
        else this.#lose(failureOf(error, 'cannot follow changes'));
      }
    });
    stream.on('error', broken);
    stream.on('end', broken);
    stream.write({ key: ALL, end: ALL, startRevision: this.#position + 1 });
    this.#guardAgainstSilence(broken);
  }

  /** A stream may fall silent on a connection that lives: nothing breaks off then, and those who follow would wait without end. */
  #guardAgainstSilence(broken: () => void): void {
    this.#isHeard = false;
    // That it was opened is due at once.
    let due: Revision = Infinity;
    this.#guard = setInterval(() => {
      const isHeard = this.#isHeard;
      if (!isHeard && this.#position < due) return broken();
      this.#isHeard = false;
      due = this.#cluster.newest;
      if (isHeard) return;
      // Where nobody asks anything, nobody else finds out that there is something new.
      void this.#cluster.look().then(() => (due = this.#cluster.newest));
    }, SILENT_MS).unref();
  }

  #again(): void {
    this.#drop();
    const waitMs = this.#retryMs;
    this.#retryMs = Math.min(waitMs * 2, LONGEST_RETRY_MS);
    void pause(waitMs).then(() => {
      if (!this.#ended) this.#open();
    });
  }

  #take({ created, canceled, compactRevision, fragment, events }: WatchAnswer): 'broken' | undefined {
    if (compactRevision > 0) return this.#lose('compacted');
    if (canceled) return 'broken';
    if (created) this.#retryMs = RETRY_MS;
    this.#pieces.push(...events);
    if (fragment || this.#pieces.length === 0) return undefined;
    const whole = this.#pieces;
    this.#pieces = [];
    if (!this.#hasAll(whole)) return this.#lose('compacted');
    const upTo = whole.at(-1)?.entry.modRevision ?? this.#position;
    const changes = whole.filter(({ entry }) => this.#isInside(entry.key)).map(toChange);
    this.#position = upTo;
    this.#end.changes(changes, upTo);
    return undefined;
  }

  /** No revision is missing, and neither is what stood there before: else a compaction took it while the watch was on its way. */
  #hasAll(events: readonly Event[]): boolean {
    let last = this.#position;
    for (const { entry, deleted, before } of events) {
      if (entry.modRevision !== last && entry.modRevision !== last + 1) return false;
      if (entry.modRevision === this.#position) return false;
      if ((deleted || entry.version > 1) && before === undefined && this.#isInside(entry.key)) return false;
      last = entry.modRevision;
    }
    return true;
  }

  #isInside(key: Uint8Array): boolean {
    return key.length >= this.#root.length && this.#root.compare(key, 0, this.#root.length) === 0;
  }

  #lose(why: 'compacted' | StorageFailure): undefined {
    if (this.#ended) return;
    this.stop();
    this.#end.lost(why);
  }

  #drop(): void {
    clearInterval(this.#guard);
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.on('error', () => {});
    stream?.cancel();
  }
}

function toChange({ entry, deleted, before }: Event): Change {
  return {
    key: textOf(entry.key),
    revision: entry.modRevision,
    ...(deleted ? {} : { value: entry.value }),
    ...(before === undefined ? {} : { before: toEntry(before) }),
  };
}
