import { deferred, setImmediate, type Deferred } from '#base';
import { Batch, type BatchMeasure } from './batch.ts';
import { WritePace } from './write-pace.ts';

/** So many requests fill the processor's caches as well as more would, and take some milliseconds. */
const TOGETHER = 128;
/** A group of so many waits for no others. */
const ENOUGH = 64;
/** After so many polls of the sockets in a row that bring no request, a group waits no longer. A poll takes some microseconds. */
const QUIET_POLLS = 4;
/** The most polls that a group waits for. */
const MOST_POLLS = 40;
/** The second half of a group begins after this poll, when the writes of the first are on their way to the disk. */
const POLLS_BETWEEN_HALVES = 2;
/** Requests that follow each other and are not parted. */
const PARTY = 4;

interface Party {
  readonly begins: Deferred<Batch>;
  size: number;
  writes: number;
}

interface Group {
  readonly parties: Party[];
  size: number;
  /** The second half of a group, the first of which has begun. */
  readonly isRest: boolean;
  /** The size when the sockets were polled last. */
  sizeBefore: number;
  polls: number;
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
  readonly #measure: BatchMeasure;
  /** Groups of requests that have not begun, in the order of their arrival. */
  #groups: Group[] = [];
  /** The last group to begin held several requests: clients that are answered together ask again together, within microseconds. */
  #isCrowd = false;
  /** What began last. */
  #latest: Batch | undefined;

  /** `nowMs`: a monotonic clock. */
  constructor(nowMs: () => number) {
    this.#measure = { nowMs, pace: new WritePace() };
  }

  /** Resolves when the request may begin. `isWrite`: it may wait for the disk, and tells its batch when it has ended. */
  begin(isWrite: boolean): Promise<Batch> {
    const party = this.#lastParty(this.#lastGroup());
    party.size += 1;
    if (isWrite) party.writes += 1;
    return party.begins.promise;
  }

  #lastGroup(): Group {
    let last = this.#groups[this.#groups.length - 1];
    if (last === undefined || last.isRest || last.size === TOGETHER) {
      last = groupOf([], false);
      if (this.#groups.push(last) === 1) setImmediate(() => this.#beginNext());
    }
    return last;
  }

  #lastParty(group: Group): Party {
    group.size += 1;
    let party = group.parties[group.parties.length - 1];
    if (party === undefined || party.size === PARTY) {
      party = { begins: deferred(), size: 0, writes: 0 };
      group.parties.push(party);
    }
    return party;
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
    this.#latest = new Batch(writesOf(first), this.#measure);
    for (const { begins } of first.parties) begins.resolve(this.#latest);
  }

  #isWaiting(first: Group, others: number): boolean {
    if (first.isRest) return first.polls < POLLS_BETWEEN_HALVES;
    return this.#isCrowd && others === 0 && first.size < ENOUGH && first.quietPolls < QUIET_POLLS && first.polls < MOST_POLLS;
  }

  /** Takes the second half away from a group that is worth halving; none: it begins as a whole. */
  #takeSecondHalf(group: Group): Group[] {
    const writes = writesOf(group);
    // While another half is being written, this one is what there is to do.
    if (group.isRest || (this.#latest?.pendingWrites ?? 0) > writes / 4 || !this.#measure.pace.isWorthHalving(writes)) return [];
    const rest = groupOf(group.parties.splice(Math.ceil(group.parties.length / 2)), true);
    group.size -= rest.size;
    return rest.size > 0 ? [rest] : [];
  }
}

function groupOf(parties: Party[], isRest: boolean): Group {
  return { parties, size: parties.reduce((sum, { size }) => sum + size, 0), isRest, sizeBefore: 0, polls: 0, quietPolls: 0 };
}

/** The sockets were polled: takes note of whether that brought requests to the group. */
function countPoll(group: Group): void {
  group.quietPolls = group.size > group.sizeBefore ? 0 : group.quietPolls + 1;
  group.sizeBefore = group.size;
  group.polls += 1;
}

const writesOf = ({ parties }: Group): number => parties.reduce((sum, { writes }) => sum + writes, 0);

/** The queue that all listeners of the process share. */
export const startQueue = new StartQueue(() => performance.now());
