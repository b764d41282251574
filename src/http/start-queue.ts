import { deferred, setImmediate, type Deferred } from '#base';
import { READS, WriteBatch, type Batch } from './batch.ts';
import { WritePace } from './write-pace.ts';

/** So many requests fill the processor's caches as well as more would. */
const TOGETHER = 128;
/** For so long the writes that begin together are prepared, at most. To answer them takes about as long. */
const TURN_MS = 8;
/** A group of so many waits for no others. */
const ENOUGH = 64;
/** After so many polls of the sockets in a row that bring no request, a group waits no longer. A poll takes some microseconds. */
const QUIET_POLLS = 4;
/** For so long a group waits at most: a poll takes long where other requests are worked on between the polls. */
const MOST_WAIT_MS = 0.5;
/** The second half of a group waits for one: the writes of the first are then on their way to the disk. */
const QUIET_POLLS_BETWEEN_HALVES = 1;
/** Requests that follow each other and are not parted. */
const PARTY = 4;

interface Party {
  readonly begins: Deferred<Batch>;
  size: number;
}

interface Group {
  readonly parties: Party[];
  size: number;
  /** The second half of a group, the first of which has begun. */
  readonly isRest: boolean;
  /** The size when the sockets were polled last. */
  sizeBefore: number;
  /** Since when it waits. */
  readonly sinceMs: number;
  quietPolls: number;
}

/**
 * Lets requests begin together with the others that arrive in the same turn of the event loop and, while there are many clients, in the polls of the
 * sockets right after it. Node reads its sockets one by one and would take each request as far as it gets before it reads the next. Requests that are
 * started together go through each part of the server together and find its code and data in the processor's caches: writes of 16 clients cost half as
 * much as they would one by one. Of very many, each turn begins some.
 *
 * Many writes begin in two halves where nothing else would be done while they wait for the disk. Clients that are answered in two halves ask again in
 * two, so that from then on each half is prepared and answered while the other is written.
 */
export class StartQueue {
  /** A monotonic clock. */
  readonly #nowMs: () => number;
  /** undefined: the requests do not wait for the disk. */
  readonly #pace: WritePace | undefined;
  /** Groups of requests that have not begun, in the order of their arrival. */
  #groups: Group[] = [];
  /** The last group to begin held several requests: clients that are answered together ask again together, within microseconds. */
  #isCrowd = false;
  /** What began last. */
  #latest = READS;

  private constructor(nowMs: () => number, pace: WritePace | undefined) {
    this.#nowMs = nowMs;
    this.#pace = pace;
  }

  /** A queue of requests that are answered from memory. `nowMs`: a monotonic clock. */
  static ofReads(nowMs: () => number): StartQueue {
    return new StartQueue(nowMs, undefined);
  }

  /** A queue of requests that wait for the disk. */
  static ofWrites(nowMs: () => number): StartQueue {
    return new StartQueue(nowMs, new WritePace());
  }

  /** Resolves when the request may begin, with those that begin at the same moment. */
  begin(): Promise<Batch> {
    const group = this.#lastGroup();
    let party = group.parties[group.parties.length - 1];
    if (party === undefined || party.size === PARTY) {
      party = { begins: deferred(), size: 0 };
      group.parties.push(party);
    }
    group.size += 1;
    party.size += 1;
    return party.begins.promise;
  }

  #lastGroup(): Group {
    let last = this.#groups[this.#groups.length - 1];
    if (last === undefined || last.isRest || last.size >= this.#most) {
      last = this.#groupOf([], false);
      if (this.#groups.push(last) === 1) setImmediate(() => this.#beginNext());
    }
    return last;
  }

  /** The most requests of a group. */
  get #most(): number {
    return Math.min(TOGETHER, this.#pace?.preparedWithin(TURN_MS) ?? TOGETHER);
  }

  #beginNext(): void {
    const [first, ...others] = this.#groups;
    if (first === undefined) return;
    countPoll(first);
    const isWaiting = this.#isWaiting(first, others.length);
    if (!isWaiting) this.#groups = others.length === 0 ? this.#takeSecondHalf(first) : others;
    if (this.#groups.length > 0) setImmediate(() => this.#beginNext());
    if (isWaiting) return;
    this.#isCrowd = first.size > 1;
    if (this.#pace !== undefined) this.#latest = new WriteBatch(first.size, this.#pace, this.#nowMs);
    for (const { begins } of first.parties) begins.resolve(this.#latest);
  }

  #isWaiting(first: Group, others: number): boolean {
    if (first.isRest) return first.quietPolls < QUIET_POLLS_BETWEEN_HALVES;
    return this.#isCrowd && others === 0 && first.size < ENOUGH && first.quietPolls < QUIET_POLLS && this.#nowMs() - first.sinceMs < MOST_WAIT_MS;
  }

  /** Takes the second half away from a group that is worth halving; none: it begins as a whole. */
  #takeSecondHalf(group: Group): Group[] {
    // While another half is being written, this one is what there is to do.
    const isAnotherWritten = group.isRest || this.#latest.pending > group.size / 4;
    if (isAnotherWritten || this.#pace?.isWorthHalving(group.size) !== true) return [];
    const rest = this.#groupOf(group.parties.splice(Math.ceil(group.parties.length / 2)), true);
    group.size -= rest.size;
    return rest.size > 0 ? [rest] : [];
  }

  #groupOf(parties: Party[], isRest: boolean): Group {
    const size = parties.reduce((sum, party) => sum + party.size, 0);
    return { parties, size, isRest, sinceMs: this.#nowMs(), sizeBefore: 0, quietPolls: 0 };
  }
}

/** The sockets were polled: takes note of whether that brought requests to the group. */
function countPoll(group: Group): void {
  group.quietPolls = group.size > group.sizeBefore ? 0 : group.quietPolls + 1;
  group.sizeBefore = group.size;
}

/**
 * The queues that all listeners of the process share. There are two, so that reads, which are soon answered, do not wait for all writes that came before
 * them: one turn of the event loop begins some of each.
 */
const reads = StartQueue.ofReads(() => performance.now());
const writes = StartQueue.ofWrites(() => performance.now());

/** Methods of requests that do not wait for the disk. */
const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The queue of a request. */
export const startQueueOf = (method: string): StartQueue => (READ_METHODS.has(method) ? reads : writes);
