import { StorageFailure, type Revision } from '../../engine.ts';

/** What an answer of etcd says of the store it comes from. */
export interface Origin {
  /** 0: it does not say. */
  readonly clusterId: bigint;
  /** The newest revision there was when it was given. */
  readonly revision: Revision;
}

/** An answer from another cluster than the ones before: an address that does not belong to the others, or a store that was made anew. */
export class ForeignMember extends StorageFailure {
  constructor(member: string, clusterId: bigint) {
    super('unavailable', `etcd: ${member} is of another cluster (${clusterId.toString(16)}) than what answered before`);
  }
}

/**
 * That all answers come from one store, which only goes on. Behind an address may stand another cluster, and a cluster may have been put back
 * to a backup or have lost what it said was written. What this process and those who follow it have seen never happened there: answers from it
 * would be mixed with theirs, and changes would be missing without a sign until the revisions have grown past the old ones.
 */
export class Continuity {
  #clusterId = 0n;
  #newest: Revision = 0;
  #broken: StorageFailure | undefined;
  readonly #breaks: (failure: StorageFailure) => void;

  /** `breaks` is called once, when answers no longer continue what was there. */
  constructor(breaks: (failure: StorageFailure) => void) {
    this.#breaks = breaks;
  }

  /** The newest revision that any answer has told of. */
  get newest(): Revision {
    return this.#newest;
  }

  /** Why nothing of this store can be believed any more: a new start takes up what is there now. */
  get broken(): StorageFailure | undefined {
    return this.#broken;
  }

  /** Whether an answer may be from the same cluster as those before. */
  isOwn(clusterId: bigint): boolean {
    if (this.#clusterId === 0n) this.#clusterId = clusterId;
    return clusterId === 0n || clusterId === this.#clusterId;
  }

  /** An answer that knows everything that was there when it was asked for: `atLeast` this revision. Throws why it cannot. */
  checkRevision(revision: Revision, atLeast: Revision): void {
    if (revision < atLeast) throw this.break(`etcd: it was at revision ${this.#newest} and is at ${revision} now: it lost writes, or was put back to a backup`);
    this.saw(revision);
  }

  /** A change at this revision was told. */
  saw(revision: Revision): void {
    if (revision > this.#newest) this.#newest = revision;
  }

  /** Nothing is believed any more. The failure that everybody is told from now on. */
  break(why: string): StorageFailure {
    if (this.#broken === undefined) {
      this.#broken = new StorageFailure('unavailable', `${why}. Start this server anew, and those who keep what they read from it`);
      this.#breaks(this.#broken);
    }
    return this.#broken;
  }
}
