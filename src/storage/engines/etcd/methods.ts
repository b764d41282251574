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

/** A call with one answer. */
export interface Method<Q, R> {
  readonly path: string;
  readonly encode: (request: Q) => Buffer;
  readonly decode: (message: Buffer) => R;
}

export const range: Method<RangeRequest, RangeAnswer> = { path: '/etcdserverpb.KV/Range', encode: encodeRange, decode: decodeRange };
export const txn: Method<TxnRequest, TxnAnswer> = { path: '/etcdserverpb.KV/Txn', encode: encodeTxn, decode: decodeTxn };
export const compact: Method<CompactRequest, void> = { path: '/etcdserverpb.KV/Compact', encode: encodeCompact, decode: () => undefined };
export const grantLease: Method<LeaseRequest, bigint> = { path: '/etcdserverpb.Lease/LeaseGrant', encode: encodeLease, decode: decodeLease };

export const WATCH_PATH = '/etcdserverpb.Watch/Watch';
