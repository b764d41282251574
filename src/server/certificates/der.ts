/** Distinguished Encoding Rules (DER), as far as this server's certificates need them. */

const TAG = { integer: 0x02, bits: 0x03, bytes: 0x04, oid: 0x06, utf8: 0x0c, utcTime: 0x17, time: 0x18, sequence: 0x30, set: 0x31 } as const;
const LONG_LENGTH = 0x80;
const NEXT_OID_BYTE = 0x80;
/** The first year that UTCTime, with two digits, cannot express. */
const LONG_YEARS = 2050;

/** Encodes a value with tag and length. */
export function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag, ...lengthOf(content.length)), content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(TAG.sequence, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => tagged(TAG.set, ...parts);
export const octets = (bytes: Uint8Array): Buffer => tagged(TAG.bytes, bytes);
export const utf8 = (text: string): Buffer => tagged(TAG.utf8, Buffer.from(text));
export const yes: Buffer = Buffer.of(0x01, 0x01, 0xff);

/** An INTEGER from big-endian bytes; the first bit must not be set, which would make it negative. */
export const integer = (bytes: Uint8Array): Buffer => tagged(TAG.integer, bytes);

/** A BIT STRING; the last `unused` bits of `bytes` do not count. */
export const bitString = (bytes: Uint8Array, unused = 0): Buffer => tagged(TAG.bits, Buffer.of(unused), bytes);

/** An OBJECT IDENTIFIER from its dotted form. */
export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return tagged(TAG.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** A time, in whole seconds. */
export function time(atMs: number): Buffer {
  const at = new Date(atMs);
  const digits = `${at.toISOString().replaceAll(/[-:T]|\..*/g, '')}Z`;
  return at.getUTCFullYear() < LONG_YEARS ? tagged(TAG.utcTime, Buffer.from(digits.slice(2))) : tagged(TAG.time, Buffer.from(digits));
}

/** The elements of a constructed value, each with tag and length. */
export function partsOf(value: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let at = contentAt(value, 0); at < value.length; ) {
    const end = endOf(value, at);
    parts.push(value.subarray(at, end));
    at = end;
  }
  return parts;
}

/** The content of a value, without tag and length. */
export const contentOf = (value: Buffer): Buffer => value.subarray(contentAt(value, 0));

function lengthOf(length: number): number[] {
  if (length < LONG_LENGTH) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [LONG_LENGTH + bytes.length, ...bytes];
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) + NEXT_OID_BYTE);
  return bytes;
}

function contentAt(value: Buffer, at: number): number {
  const first = value[at + 1] ?? 0;
  return at + 2 + (first < LONG_LENGTH ? 0 : first - LONG_LENGTH);
}

function endOf(value: Buffer, at: number): number {
  const start = contentAt(value, at);
  return start + (start === at + 2 ? (value[at + 1] ?? 0) : value.readUIntBE(at + 2, start - at - 2));
}
