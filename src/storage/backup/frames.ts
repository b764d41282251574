import { crc32 } from 'node:zlib';
import type { KeptEntry } from '../driver.ts';
import { StorageFailure } from '../storage-failure.ts';

/** The bytes before a body: its length and its CRC-32, 4 bytes each. */
export const FRAME_HEADER = 8;
const MAX_BODY = 256 * 1024 * 1024;
/** The bytes before key and value: revision and time of expiry (8 each), length of the key (2). */
const ENTRY_HEADER = 18;

/** A frame: the length of the body, its CRC-32, and the body. */
export function frame(body: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER + body.length);
  bytes.writeUInt32BE(body.length, 0);
  bytes.writeUInt32BE(crc32(body), 4);
  bytes.set(body, FRAME_HEADER);
  return bytes;
}

/** The length of the body that follows this header. Throws `StorageFailure` (`corrupt`). */
export function bodyLength(header: Buffer): number {
  const length = header.readUInt32BE(0);
  if (length > MAX_BODY) throw new StorageFailure('corrupt', `it speaks of a part with ${length} bytes`);
  return length;
}

/** Throws `StorageFailure` (`corrupt`) when the checksum of the body is not that of the header. */
export function checkBody(header: Buffer, body: Buffer): void {
  if (crc32(body) !== header.readUInt32BE(4)) throw new StorageFailure('corrupt', 'its bytes are not those that were written');
}

/** Encodes an entry as the body of a frame. */
export function encodeEntry({ key, value, revision, expiresAtMs = 0 }: KeptEntry): Buffer {
  const keyLength = Buffer.byteLength(key);
  const bytes = Buffer.allocUnsafe(ENTRY_HEADER + keyLength + value.length);
  bytes.writeDoubleBE(revision, 0);
  bytes.writeDoubleBE(expiresAtMs, 8);
  bytes.writeUInt16BE(keyLength, 16);
  bytes.write(key, ENTRY_HEADER);
  bytes.set(value, ENTRY_HEADER + keyLength);
  return bytes;
}

/** Decodes the body of a frame. Throws `StorageFailure` (`corrupt`). */
export function decodeEntry(bytes: Buffer): KeptEntry {
  const keyEnd = bytes.length < ENTRY_HEADER ? Infinity : ENTRY_HEADER + bytes.readUInt16BE(16);
  if (keyEnd > bytes.length) throw new StorageFailure('corrupt', 'an entry in it is cut off');
  const expiresAtMs = bytes.readDoubleBE(8);
  return {
    key: bytes.toString('utf8', ENTRY_HEADER, keyEnd),
    value: bytes.subarray(keyEnd),
    revision: bytes.readDoubleBE(0),
    ...(expiresAtMs === 0 ? {} : { expiresAtMs }),
  };
}
