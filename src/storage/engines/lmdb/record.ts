import type { Change } from '../../engine.ts';
import type { Entry, Key, Revision } from '../../entry.ts';

const DELETED = 0;
const PUT = 1;
const HEADER = 19;

/** The log record of a revision: key, new value, and the revision that it replaced. */
export interface LogRecord {
  readonly key: Key;
  /** The revision of the key before; 0: the key did not exist. */
  readonly previous: Revision;
  readonly timeMs: number;
  /** Absent: deleted. */
  readonly value?: Uint8Array | undefined;
}

/** Encodes a record: kind (1 byte), previous revision and time (8 each), length of the key (2), key, value. `take` allocates the buffer. */
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

/** Decodes a record. Its value is a view of `bytes` and keeps them in memory. Throws `RangeError` when they are too short. */
export function decodeRecord(bytes: Buffer): LogRecord {
  const keyEnd = HEADER + bytes.readUInt16BE(17);
  return {
    key: bytes.toString('utf8', HEADER, keyEnd),
    previous: bytes.readDoubleBE(1),
    timeMs: bytes.readDoubleBE(9),
    ...(bytes[0] === PUT ? { value: bytes.subarray(keyEnd) } : {}),
  };
}

/** Decodes a record without its value. */
export function decodeHeader(bytes: Buffer): Omit<LogRecord, 'value'> & { readonly deleted: boolean } {
  return {
    key: bytes.toString('utf8', HEADER, HEADER + bytes.readUInt16BE(17)),
    previous: bytes.readDoubleBE(1),
    timeMs: bytes.readDoubleBE(9),
    deleted: bytes[0] === DELETED,
  };
}

/** Makes the change that feeds deliver. Written out without object spreads, because every write makes one. */
export function toChange(revision: Revision, key: Key, value: Uint8Array | undefined, before: Entry | undefined): Change {
  if (value === undefined) return before === undefined ? { key, revision } : { key, revision, before };
  return before === undefined ? { key, revision, value } : { key, revision, value, before };
}
