import type { Origin } from './continuity.ts';
import {
  decodeLease,
  decodeRange,
  decodeTxn,
  encodeCompact,
  encodeLease,
  encodeRange,
  encodeTxn,
  type CompactRequest,
  type LeaseRequest,
  type RangeAnswer,
  type RangeRequest,
  type TxnAnswer,
  type TxnRequest,
} from './messages.ts';

/** A unary gRPC method. */
export interface Method<Q, R> {
  readonly path: string;
  readonly encode: (request: Q) => Buffer;
  readonly decode: (message: Buffer) => R;
  /** The header of a response; absent: responses are not checked for continuity. */
  readonly origin?: (answer: R) => Origin;
  /** Whether the call has made a new revision. */
  readonly isChange?: (answer: R) => boolean;
}

export const range: Method<RangeRequest, RangeAnswer> = { path: '/etcdserverpb.KV/Range', encode: encodeRange, decode: decodeRange, origin: (answer) => answer };
export const txn: Method<TxnRequest, TxnAnswer> = {
  path: '/etcdserverpb.KV/Txn',
  encode: encodeTxn,
  decode: decodeTxn,
  origin: (answer) => answer,
  isChange: ({ succeeded }) => succeeded,
};
export const compact: Method<CompactRequest, void> = { path: '/etcdserverpb.KV/Compact', encode: encodeCompact, decode: () => undefined };
export const grantLease: Method<LeaseRequest, bigint> = { path: '/etcdserverpb.Lease/LeaseGrant', encode: encodeLease, decode: decodeLease };

export const WATCH_PATH = '/etcdserverpb.Watch/Watch';
