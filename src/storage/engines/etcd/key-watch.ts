import { clearInterval, setInterval } from '#base';
import type { Change } from '../../engine.ts';
import type { Revision } from '../../entry.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { pause, type Cluster, type WatchStream } from './cluster.ts';
import { ForeignMember } from './continuity.ts';
import { callFailureOf, failureOf, refusalOf } from './failures.ts';
import { toEntry } from './kv.ts';
import { LONGEST_RETRY_MS, RETRY_MS, SILENT_MS } from './limits.ts';
import type { Event, WatchResponse } from './messages.ts';
import { toldChange, type ToldChange } from './told-change.ts';
import { textOf } from './wire.ts';

export interface WatchReceiver {
  /** All changes up to and including revision `upTo`. A revision is never split over two batches. */
  changes(batch: readonly Change[], upTo: Revision): void;
  /** The watch has ended. `'compacted'`: changes after the last batch were compacted. */
  lost(why: 'compacted' | StorageFailure): void;
}

/** As key and range end, etcd's notation for all keys. */
const ALL = Buffer.of(0);

/** The watch of a stream that asks for the change at which the other one begins. */
const BEGIN_ID = 1;

/**
 * One watch of all keys after a revision. When it breaks off, it is opened again where it stopped, at the next member, once the change before that was
 * found to be still there: etcd may have been put back to a backup meanwhile.
 *
 * It watches all keys, because then every revision of etcd has an event: progress is known without progress notifications (which may overtake earlier
 * events in etcd before 3.4.25 and 3.5.8), and a missing revision is noticed. Changes of keys outside the root are dropped at once.
 */
export class KeyWatch {
  readonly #cluster: Cluster;
  readonly #root: Buffer;
  readonly #receiver: WatchReceiver;
  #position: Revision;
  /** The newest change of all keys, or the one at which the watch begins; undefined: none is known yet. */
  #newest: ToldChange | undefined;
  #stream: WatchStream | undefined;
  /** Of a fragmented response: the events of the revision of which more may come. */
  #pieces: Event[] = [];
  /** Whether the stream has sent anything since the last check. */
  #hasReceived = false;
  #guard: NodeJS.Timeout | undefined;
  #ended = false;
  #retryMs = RETRY_MS;
  /** Why etcd has ended the watch by itself or not opened it, since it was last open: that is told once. */
  #refusal = '';

  /** Starts the watch. Revision `after` must exist already. */
  constructor(cluster: Cluster, root: string, after: Revision, receiver: WatchReceiver) {
    this.#cluster = cluster;
    this.#root = Buffer.from(root);
    this.#position = after;
    this.#receiver = receiver;
    this.#open();
  }

  stop(): void {
    this.#ended = true;
    this.#drop();
  }

  #open(): void {
    const { stream, avoid, check, report } = this.#cluster.openWatch();
    this.#stream = stream;
    this.#pieces = [];
    const refused = (why: StorageFailure): void => {
      if (why.message !== this.#refusal) report(why);
      this.#refusal = why.message;
    };
    const broken = (): void => {
      if (this.#stream !== stream) return;
      avoid();
      this.#reopen();
    };
    stream.on('data', (response: WatchResponse) => {
      if (this.#stream !== stream) return;
      this.#hasReceived = true;
      try {
        check(response);
        if (response.id === BEGIN_ID) return this.#learnBegin(response, stream);
        // The watch starts above this member's revision: either the member lags behind, or etcd has lost revisions, which `checkNewest` detects.
        if (response.created && response.revision < this.#position) void this.#cluster.checkNewest();
        if (this.#take(response) !== 'broken') return;
        if (response.cancelReason !== '') refused(refusalOf(response.cancelReason));
        broken();
      } catch (error) {
        if (error instanceof ForeignMember) broken();
        else this.#lose(failureOf(error, 'cannot follow changes'));
      }
    });
    stream.on('error', (error: Error) => {
      if (this.#stream === stream && callFailureOf(error) === 'final') refused(failureOf(error, 'cannot follow changes'));
      broken();
    });
    stream.on('end', broken);
    stream.write({ key: ALL, end: ALL, startRevision: this.#position + 1 });
    // Where nothing is new, nothing would come by which it could be found out afterwards whether etcd was put back to a backup.
    if (this.#newest === undefined && this.#position >= this.#cluster.newest) {
      stream.write({ key: ALL, end: ALL, startRevision: Math.max(1, this.#position), id: BEGIN_ID });
    }
    this.#guardAgainstSilence(broken);
  }

  /** A stream may fall silent although its connection is alive. No error occurs then, and feeds would wait forever: such a stream is opened again. */
  #guardAgainstSilence(broken: () => void): void {
    this.#hasReceived = false;
    // The first response, that the watch was created, is due in any case.
    let due: Revision = Infinity;
    this.#guard = setInterval(() => {
      const hasReceived = this.#hasReceived;
      if (!hasReceived && this.#position < due) return broken();
      this.#hasReceived = false;
      due = this.#cluster.newest;
      if (hasReceived) return;
      // If there are no other calls, only this one can show that there are newer revisions.
      void this.#cluster.checkNewest().then(() => (due = this.#cluster.newest));
    }, SILENT_MS).unref();
  }

  #reopen(): void {
    this.#drop();
    const waitMs = this.#retryMs;
    this.#retryMs = Math.min(waitMs * 2, LONGEST_RETRY_MS);
    void pause(waitMs).then(() => this.#resume());
  }

  /** Opens the watch again where it stopped, if what came before that is still there. */
  async #resume(): Promise<void> {
    if (this.#ended) return;
    try {
      if (this.#newest !== undefined) await this.#cluster.checkTold(this.#newest);
    } catch (error) {
      if (error instanceof StorageFailure || callFailureOf(error) === 'member') return this.#reopen();
      // Compacted, or not allowed to be read: the watch itself says what becomes of it.
    }
    if (!this.#ended) this.#open();
  }

  /** The change at which the watch begins. There may be none, as in an empty etcd or after a compaction; then the next one is as good. */
  #learnBegin({ events }: WatchResponse, stream: WatchStream): void {
    if (events.length === 0) return;
    const begin = events.findLast(({ entry }) => entry.modRevision === this.#position);
    if (begin !== undefined) this.#newest ??= toldChange(begin);
    stream.write({ cancel: BEGIN_ID });
  }

  #take({ created, canceled, compactRevision, fragment, events }: WatchResponse): 'broken' | undefined {
    if (compactRevision > 0) return this.#lose('compacted');
    if (canceled) return 'broken';
    if (created) {
      this.#retryMs = RETRY_MS;
      this.#refusal = '';
    }
    // One by one: a revision that removed very many keys is more than a call takes arguments.
    for (const event of events) this.#pieces.push(event);
    // etcd sends a watch that is behind a thousand revisions in one response, which a connection that breaks often never brings completely.
    const whole = this.#pieces.splice(0, fragment ? startOfNewest(this.#pieces) : this.#pieces.length);
    if (whole.length === 0) return undefined;
    if (!this.#hasAll(whole)) return this.#lose('compacted');
    const newest = whole.at(-1) as Event;
    const upTo = newest.entry.modRevision;
    this.#newest = toldChange(newest);
    const changes = whole.filter(({ entry }) => this.#isInside(entry.key)).map(toChange);
    this.#position = upTo;
    this.#receiver.changes(changes, upTo);
    return undefined;
  }

  /** Whether no revision is missing, and no previous value: a compaction during the start of the watch may have removed them. */
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
    this.#receiver.lost(why);
  }

  #drop(): void {
    clearInterval(this.#guard);
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.cancel();
  }
}

/** The index at which the events of the newest revision begin. */
function startOfNewest(events: readonly Event[]): number {
  const newest = events.at(-1)?.entry.modRevision;
  return events.length === 0 ? 0 : events.findIndex(({ entry }) => entry.modRevision === newest);
}

function toChange({ entry, deleted, before }: Event): Change {
  return {
    key: textOf(entry.key),
    revision: entry.modRevision,
    ...(deleted ? {} : { value: entry.value }),
    ...(before === undefined ? {} : { before: toEntry(before) }),
  };
}
