import type { Revision } from '../../entry.ts';
import { StorageFailure } from '../../storage-failure.ts';

/** What the header of a response says about the store it comes from. */
export interface ResponseHeader {
  /** 0: unknown. */
  readonly clusterId: bigint;
  /** The newest revision of the store at the time of the response. */
  readonly revision: Revision;
}

/** A response from another cluster than those before: the address belongs to another cluster, or the store was created anew. */
export class ForeignMember extends StorageFailure {
  constructor(member: string, clusterId: bigint) {
    super('unavailable', `etcd: ${member} is of another cluster (${clusterId.toString(16)}) than what answered before`);
  }
}

/**
 * Checks that all responses come from one store whose revisions only grow. An address may lead to another cluster, and a cluster may have been restored
 * from a backup or have lost writes that it had confirmed. Then what this process and its watchers have seen never happened there: responses would be
 * inconsistent with it, and changes would silently be missing until the revisions have grown past the old ones.
 */
export class Continuity {
  #clusterId = 0n;
  #newest: Revision = 0;
  #broken: StorageFailure | undefined;
  readonly #breaks: (failure: StorageFailure) => void;

  /** `breaks` is called once, when a response does not continue what was seen. */
  constructor(breaks: (failure: StorageFailure) => void) {
    this.#breaks = breaks;
  }

  /** The newest revision that any response has shown. */
  get newest(): Revision {
    return this.#newest;
  }

  /** Why the store is given up; undefined: it is not. Only a restart of the server continues with what is there. */
  get broken(): StorageFailure | undefined {
    return this.#broken;
  }

  /** Whether a response may come from the same cluster as those before. */
  isOwn(clusterId: bigint): boolean {
    if (this.#clusterId === 0n) this.#clusterId = clusterId;
    return clusterId === 0n || clusterId === this.#clusterId;
  }

  /** Checks a linearizable response: its revision must be `atLeast` the newest one known when it was asked for. Throws `StorageFailure` if it is not. */
  checkRevision(revision: Revision, atLeast: Revision): void {
    if (revision < atLeast) throw this.break(`etcd: it was at revision ${this.#newest} and is at ${revision} now: it lost writes, or was put back to a backup`);
    this.saw(revision);
  }

  /** Records that the store has reached this revision. */
  saw(revision: Revision): void {
    if (revision > this.#newest) this.#newest = revision;
  }

  /** Gives the store up. Returns the failure of all calls from now on. */
  break(why: string): StorageFailure {
    if (this.#broken === undefined) {
      this.#broken = new StorageFailure('unavailable', `${why}. Start this server anew, and those who keep what they read from it`);
      this.#breaks(this.#broken);
    }
    return this.#broken;
  }
}
