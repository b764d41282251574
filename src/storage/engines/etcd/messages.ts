import type { ResponseHeader } from './continuity.ts';
import { fieldsOf, MessageWriter, textOf } from './wire.ts';

/**
 * The messages of etcd that this engine sends and reads, by the field numbers of etcd's public `rpc.proto` and `kv.proto`. Fields that this engine does
 * not use are skipped.
 */

export interface KeyValue {
  /** A view of the message. */
  readonly key: Uint8Array;
  /** A copy, which does not keep the message in memory. */
  readonly value: Uint8Array;
  readonly modRevision: number;
  /** 1: the key was created by this write. 0: it was deleted. */
  readonly version: number;
}

export interface RangeRequest {
  readonly key: Uint8Array;
  /** The exclusive end of the range; absent: only `key`. */
  readonly end?: Uint8Array;
  readonly limit?: number;
  readonly revision?: number;
  readonly countOnly?: boolean;
}

export interface RangeResponse extends ResponseHeader {
  readonly entries: readonly KeyValue[];
  readonly more: boolean;
  readonly count: number;
}

export type Operation =
  | { readonly range: RangeRequest }
  | { readonly put: { readonly key: Uint8Array; readonly value: Uint8Array; readonly lease?: bigint } }
  | { readonly remove: Uint8Array };

export type Compare = { readonly key: Uint8Array } & ({ readonly modRevision: number } | { readonly version: number });

export interface TxnRequest {
  /** `success` is executed if the key was last written at this revision (0: it does not exist), or was written so many times; else `failure`. */
  readonly compare: Compare;
  /** Further comparisons that must hold. */
  readonly preconditions?: readonly Compare[];
  readonly success: Operation;
  readonly failure: Operation;
}

export interface TxnResponse extends ResponseHeader {
  readonly succeeded: boolean;
  /** The entry that the range operation of the executed branch found. */
  readonly found: KeyValue | undefined;
}

export interface WatchResponse extends ResponseHeader {
  /** Which watch of the stream it is for. */
  readonly id: number;
  readonly created: boolean;
  readonly canceled: boolean;
  /** Not 0: the start of the watch was compacted, and this is the oldest revision kept. */
  readonly compactRevision: number;
  readonly cancelReason: string;
  /** The next response continues the events of this one. */
  readonly fragment: boolean;
  readonly events: readonly Event[];
}

export interface Event {
  readonly deleted: boolean;
  readonly entry: KeyValue;
  readonly before: KeyValue | undefined;
}

export const encodeRange = (request: RangeRequest): Buffer => writeRange(request).finish();

function writeRange({ key, end, limit, revision, countOnly }: RangeRequest): MessageWriter {
  return new MessageWriter()
    .bytes(1, key)
    .bytes(2, end ?? '')
    .int(3, limit ?? 0)
    .int(4, revision ?? 0)
    .flag(9, countOnly ?? false);
}

/** Decodes a range response. As the other decoders, throws `RangeError` when the bytes are not a message, or not a complete one. */
export const decodeRange = (message: Uint8Array): RangeResponse => withHeader(readRange(message));

function readRange(message: Uint8Array): RangeResponse {
  const response = { clusterId: 0n, revision: 0, entries: [] as KeyValue[], more: false, count: 0 };
  for (const { number, int, bytes } of fieldsOf(message)) {
    if (number === 1) readHeader(bytes, response);
    else if (number === 2) response.entries.push(decodeKeyValue(bytes));
    else if (number === 3) response.more = int !== 0;
    else if (number === 4) response.count = int;
  }
  return response;
}

const MOD = 2;

/** Encodes a transaction: comparisons, and one operation for either outcome. */
export function encodeTxn({ compare, preconditions = [], success, failure }: TxnRequest): Buffer {
  const message = new MessageWriter();
  for (const one of [compare, ...preconditions]) message.message(1, writeCompare(one));
  return message.message(2, writeOperation(success)).message(3, writeOperation(failure)).finish();
}

function writeCompare(compare: Compare): MessageWriter {
  const condition = new MessageWriter().bytes(3, compare.key);
  // The compared number is a member of a oneof. A 0 may be left out, because etcd takes an absent one for 0.
  return 'modRevision' in compare ? condition.int(2, MOD).int(6, compare.modRevision) : condition.int(4, compare.version);
}

function writeOperation(operation: Operation): MessageWriter {
  if ('range' in operation) return new MessageWriter().message(1, writeRange(operation.range));
  if ('remove' in operation) return new MessageWriter().message(3, new MessageWriter().bytes(1, operation.remove));
  const { key, value, lease } = operation.put;
  return new MessageWriter().message(2, new MessageWriter().bytes(1, key).bytes(2, value).int(3, lease ?? 0n));
}

/** Decodes a transaction response. Throws `RangeError` as `decodeRange`. */
export function decodeTxn(message: Uint8Array): TxnResponse {
  const response = { clusterId: 0n, revision: 0, succeeded: false, found: undefined as KeyValue | undefined };
  for (const { number, int, bytes } of fieldsOf(message)) {
    if (number === 1) readHeader(bytes, response);
    else if (number === 2) response.succeeded = int !== 0;
    else if (number === 3) {
      for (const inner of fieldsOf(bytes)) if (inner.number === 1) response.found = readRange(inner.bytes).entries[0];
    }
  }
  return withHeader(response);
}

export interface CompactRequest {
  readonly revision: number;
}

/**
 * Encodes a compaction. The history is unreadable as soon as the call is answered. The call does not wait until etcd has removed it from disk
 * (`physical`): for that etcd walks all keys, those of other prefixes too, and with many of them takes longer than the deadline of a call.
 */
export const encodeCompact = ({ revision }: CompactRequest): Buffer => new MessageWriter().int(1, revision).finish();

export interface LeaseRequest {
  readonly ttlSeconds: number;
}

export const encodeLease = ({ ttlSeconds }: LeaseRequest): Buffer => new MessageWriter().int(1, ttlSeconds).finish();

/** The ID of the lease that was granted. Throws `RangeError` when there is none. */
export function decodeLease(message: Uint8Array): bigint {
  for (const { number, big } of fieldsOf(message)) if (number === 2) return big();
  throw new RangeError('a lease without an ID');
}

/** `id`: by which the responses of one of several watches of a stream are known; absent: 0, for the first one. `cancel`: which of them is to end. */
export type WatchRequest =
  | { readonly key: Uint8Array; readonly end: Uint8Array; readonly startRevision: number; readonly id?: number }
  | { readonly cancel: number };

/** Encodes the request of a watch with previous values, and with large responses split into fragments; or that one is to end. */
export function encodeWatch(request: WatchRequest): Buffer {
  if ('cancel' in request) return new MessageWriter().message(2, new MessageWriter().int(1, request.cancel)).finish();
  const { key, end, startRevision, id = 0 } = request;
  return new MessageWriter()
    .message(1, new MessageWriter().bytes(1, key).bytes(2, end).int(3, startRevision).flag(6, true).int(7, id).flag(8, true))
    .finish();
}

/** Decodes a watch response. Throws `RangeError` when the bytes are not a message. */
export function decodeWatch(message: Uint8Array): WatchResponse {
  const response = { clusterId: 0n, revision: 0, id: 0, created: false, canceled: false, compactRevision: 0, cancelReason: '', fragment: false, events: [] as Event[] };
  for (const { number, int, bytes } of fieldsOf(message)) {
    if (number === 1) readHeader(bytes, response);
    else if (number === 2) response.id = int;
    else if (number === 3) response.created = int !== 0;
    else if (number === 4) response.canceled = int !== 0;
    else if (number === 5) response.compactRevision = int;
    else if (number === 6) response.cancelReason = textOf(bytes);
    else if (number === 7) response.fragment = int !== 0;
    else if (number === 11) response.events.push(decodeEvent(bytes));
  }
  return response;
}

function decodeEvent(message: Uint8Array): Event {
  let deleted = false;
  let entry: KeyValue | undefined;
  let before: KeyValue | undefined;
  for (const { number, int, bytes } of fieldsOf(message)) {
    if (number === 1) deleted = int === 1;
    else if (number === 2) entry = decodeKeyValue(bytes);
    else if (number === 3) before = decodeKeyValue(bytes);
  }
  if (entry === undefined) throw new RangeError('an event without a key');
  return { deleted, entry, before };
}

const NOTHING: Uint8Array = new Uint8Array();

function decodeKeyValue(message: Uint8Array): KeyValue {
  const entry = { key: NOTHING, value: NOTHING, modRevision: 0, version: 0 };
  for (const { number, int, bytes } of fieldsOf(message)) {
    if (number === 1) entry.key = bytes;
    else if (number === 3) entry.modRevision = int;
    else if (number === 4) entry.version = int;
    else if (number === 5) entry.value = new Uint8Array(bytes);
  }
  if (entry.key.length === 0 || !isRevision(entry.modRevision)) throw new RangeError('an entry without a key or a revision');
  return entry;
}

const isRevision = (int: number): boolean => int > 0 && Number.isSafeInteger(int);

/** Reads the header that every response has. */
function readHeader(header: Uint8Array, into: { clusterId: bigint; revision: number }): void {
  for (const { number, int, big } of fieldsOf(header)) {
    if (number === 1) into.clusterId = BigInt.asUintN(64, big());
    else if (number === 3) into.revision = int;
  }
}

/** Throws `RangeError` for a response without a revision: an empty message decodes without errors, and would mean that no key exists. */
function withHeader<A extends ResponseHeader>(response: A): A {
  if (!isRevision(response.revision)) throw new RangeError('an answer without a revision');
  return response;
}
