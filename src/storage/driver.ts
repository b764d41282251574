import type { Clock } from '#base';
import type { Engine } from './engine.ts';
import type { Entry, Revision } from './entry.ts';

/** What `src/storage/engines/<scheme>/index.ts` exports as `driver`. */
export interface Driver {
  /** The scheme of `--store <scheme>://…`. */
  readonly scheme: string;
  /** Opens the store, or creates it. Throws `StorageFailure` with a message that says what to do. */
  open(options: EngineOptions): Promise<Engine>;
  /** Absent where the store has backup tools of its own (etcd) or nothing to back up (memory). */
  readonly maintenance?: Maintenance;
}

/** Maintenance of a store from another process than its server. */
export interface Maintenance {
  /** Opens a consistent snapshot of the store in that folder; a server may go on writing to it. Throws `StorageFailure`, and the reason of `waiting.stop`. */
  snapshot(location: string, waiting?: Waiting): Promise<Snapshot>;
  /**
   * Fills a new store in an empty folder. `revision` becomes both its newest and its oldest readable revision; the entries keep their own.
   * Resolves when everything is durable. Throws what `entries` throws, at the latest behind the last one where two have the same revision, and
   * `StorageFailure`.
   */
  load(location: string, state: { readonly revision: Revision; readonly entries: AsyncIterable<KeptEntry> }): Promise<void>;
}

/** What becomes of a wait for another process that has the store open. */
export interface Waiting {
  /** Called once where it takes long, with what is waited for. */
  readonly tell?: ((message: string) => void) | undefined;
  /** Ends the wait. */
  readonly stop?: AbortSignal | undefined;
  /** Measures how long it takes. Default: real time. */
  readonly clock?: Clock;
}

/** A consistent view of a store as of one revision. Until it is closed the store cannot reuse the space of what was deleted since. */
export interface Snapshot {
  readonly revision: Revision;
  /** How many entries exist. */
  readonly count: number;
  /** All entries in key order. Throws `StorageFailure` at the first damaged one. */
  entries(): Iterable<KeptEntry>;
  /** How many results `check` yields, about: for showing progress. */
  readonly checks: number;
  /** Checks every row of the store; yields, for each, a contradiction with the other rows, or undefined. */
  check(): Iterable<string | undefined>;
  close(): Promise<void>;
}

/** An entry as it is backed up and restored. */
export interface KeptEntry extends Entry {
  /** When its time to live ends, in milliseconds since 1970; absent: never. */
  readonly expiresAtMs?: number;
}

/** How a driver is to open a store. */
export interface EngineOptions {
  /** What follows the scheme: for embedded engines a folder. */
  readonly location: string;
  /** For how long, at least, replaced and deleted values stay readable. */
  readonly historySeconds: number;
  /** Whether other processes of this machine may open the store at the same time. Only engines with a store on one machine use it. */
  readonly isShared?: boolean;
  readonly clock: Clock;
  readonly log: (message: string, fields?: Readonly<Record<string, unknown>>) => void;
}
