import type { Change, Entry, Key, Revision } from '../../engine.ts';

const DELETED = 0;
const PUT = 1;
const HEADER = 19;

/** What the log holds for each revision: who wrote what over which value. */
export interface LogRecord {
  readonly key: Key;
  /** The revision that stood there before; 0: nothing did. */
  readonly previous: Revision;
  readonly timeMs: number;
  /** Absent: deleted. */
  readonly value?: Uint8Array | undefined;
}

/** Kind (1 byte), previous revision and time (8 each), length of the key (2), key, value. `take`: where so many bytes come from. */
export function encodeRecord({ key, previous, timeMs, value }: LogRecord, take: (length: number) => Buffer = Buffer.allocUnsafe): Buffer {
  const keyLength = Buffer.byteLength(key);
  const bytes = take(HEADER + keyLength + (value?.length ?? 0));
  bytes[0] = value === undefined ? DELETED : PUT;
  bytes.writeDoubleBE(previous, 1);
  bytes.writeDoubleBE(timeMs, 9);
  bytes.writeUInt16BE(keyLength, 17);
  bytes.write(key, HEADER);
  if (value !== undefined) bytes.set(value, HEADER + keyLength);
  return bytes;
}

/** The whole record; its value is a part of `bytes`, and keeps them. Throws `RangeError` where they end too early. */
export function decodeRecord(bytes: Buffer): LogRecord {
  const keyEnd = HEADER + bytes.readUInt16BE(17);
  return {
    key: bytes.toString('utf8', HEADER, keyEnd),
    previous: bytes.readDoubleBE(1),
    timeMs: bytes.readDoubleBE(9),
    ...(bytes[0] === PUT ? { value: bytes.subarray(keyEnd) } : {}),
  };
}

/** The record without its value, for those who only walk the log. */
export function decodeHeader(bytes: Buffer): Omit<LogRecord, 'value'> & { readonly deleted: boolean } {
  return {
    key: bytes.toString('utf8', HEADER, HEADER + bytes.readUInt16BE(17)),
    previous: bytes.readDoubleBE(1),
    timeMs: bytes.readDoubleBE(9),
    deleted: bytes[0] === DELETED,
  };
}

/** A change as followers see it. Written out, as each write makes one. */
export function toChange(revision: Revision, key: Key, value: Uint8Array | undefined, before: Entry | undefined): Change {
  if (value === undefined) return before === undefined ? { key, revision } : { key, revision, before };
  return before === undefined ? { key, revision, value } : { key, revision, value, before };
}
