import type { ReplyHeaders } from '#request';
import type { PriorityLevel } from './priority-level.ts';

/** A flow schema with its priority level and counters. */
export interface FlowClass {
  readonly schemaName: string;
  readonly level: PriorityLevel;
  /** The flow distinguisher; absent: all requests are one flow. */
  readonly distinguish?: 'ByUser' | 'ByNamespace' | undefined;
  /** Adds the headers that identify schema and level, which every response carries. */
  readonly label: (headers: ReplyHeaders) => ReplyHeaders;
  readonly counts: FlowCounts;
}

/** Counters since the schema was first seen, and what waits and runs at present. Requests that are exempt are dispatched, and neither wait nor run. */
export interface FlowCounts {
  dispatched: number;
  waiting: number;
  running: number;
  seatsInUse: number;
  /** By the reason label of metrics. */
  readonly rejected: Record<RejectReason, number>;
}

/** Why a request is rejected with 429, or left its queue (`cancelled`). */
export type RejectReason = 'queue-full' | 'concurrency-limit' | 'time-out' | 'cancelled';

export const createCounts = (): FlowCounts => ({
  dispatched: 0,
  waiting: 0,
  running: 0,
  seatsInUse: 0,
  rejected: { 'queue-full': 0, 'concurrency-limit': 0, 'time-out': 0, cancelled: 0 },
});
