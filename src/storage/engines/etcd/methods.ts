import type { ResponseHeader } from './continuity.ts';
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
  type RangeResponse,
  type RangeRequest,
  type TxnResponse,
  type TxnRequest,
} from './messages.ts';

/** A unary gRPC method. */
export interface Method<Q, R> {
  readonly path: string;
  readonly encode: (request: Q) => Buffer;
  readonly decode: (message: Buffer) => R;
  /** The header of a response; absent: responses are not checked for continuity. */
  readonly header?: (response: R) => ResponseHeader;
  /** Whether the call has made a new revision. */
  readonly isChange?: (response: R) => boolean;
  /** Whether nobody needs the answer once the store is closed: the call changes nothing, or only what is not there for clients. */
  readonly endsAtClose?: boolean;
}

export const range: Method<RangeRequest, RangeResponse> = {
  path: '/etcdserverpb.KV/Range',
  encode: encodeRange,
  decode: decodeRange,
  header: (response) => response,
  endsAtClose: true,
};
export const txn: Method<TxnRequest, TxnResponse> = {
  path: '/etcdserverpb.KV/Txn',
  encode: encodeTxn,
  decode: decodeTxn,
  header: (response) => response,
  isChange: ({ succeeded }) => succeeded,
};
/** By which servers on one etcd agree on who of them compacts. */
export const claim: Method<TxnRequest, TxnResponse> = { ...txn, endsAtClose: true };
export const compact: Method<CompactRequest, void> = { path: '/etcdserverpb.KV/Compact', encode: encodeCompact, decode: () => undefined, endsAtClose: true };
export const grantLease: Method<LeaseRequest, bigint> = { path: '/etcdserverpb.Lease/LeaseGrant', encode: encodeLease, decode: decodeLease };

export const WATCH_PATH = '/etcdserverpb.Watch/Watch';
