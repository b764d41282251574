import type { Cascade, Propagation } from '#api';

/** The options of a delete request (`DeleteOptions`). */
export interface DeleteOrder {
  readonly graceSeconds?: number;
  readonly propagation?: Propagation;
  /** The deprecated form of `propagation`. */
  readonly orphanDependents?: boolean;
  /** The default of the version that the request uses, where it differs from the kind's. */
  readonly cascade?: Cascade;
  readonly uid?: string;
  readonly resourceVersion?: string;
}
