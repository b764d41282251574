import type { ReplyHeaders } from '#request';
import type { PriorityLevel } from './priority-level.ts';

/** Where a schema leads: the level its requests belong to, and what has become of them. */
export interface FlowClass {
  readonly schemaName: string;
  readonly level: PriorityLevel;
  /** What divides its requests into flows; absent: they are one. */
  readonly distinguish?: 'ByUser' | 'ByNamespace' | undefined;
  /** Adds the names of schema and level, which stand in every answer, to its headers. */
  readonly label: (headers: ReplyHeaders) => ReplyHeaders;
  readonly counts: FlowCounts;
}

/** Figures since the schema is known. */
export interface FlowCounts {
  dispatched: number;
  /** By reason, as metrics name it. */
  readonly rejected: Record<RejectReason, number>;
}

/** Why a request is answered with 429, or nobody waits for it any more. */
export type RejectReason = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

export const createCounts = (): FlowCounts => ({
  dispatched: 0,
  rejected: { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0, cancelled: 0 },
});
