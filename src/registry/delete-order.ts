import type { Cascade, Propagation } from '#api';

/** What a delete request asks for. */
export interface DeleteOrder {
  readonly graceSeconds?: number;
  readonly propagation?: Propagation;
  /** The older form of `propagation`. */
  readonly orphanDependents?: boolean;
  /** The habit of the version the request speaks, where it is not the kind's. */
  readonly cascade?: Cascade;
  readonly uid?: string;
  readonly resourceVersion?: string;
}
