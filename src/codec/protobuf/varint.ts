/** Wire types of protobuf. Groups are only skipped. */
export const VARINT = 0;
export const FIXED64 = 1;
export const BYTES = 2;
export const GROUP = 3;
export const GROUP_END = 4;
export const FIXED32 = 5;

/** The tag before a value: the field number and the wire type. */
export const tagOf = (no: number, wire: number): number => no * 8 + wire;

/** The number of bytes of an unsigned integer as a varint. */
export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

/** Writes an unsigned integer below 2^53 at offset `at`; returns the offset of its end. There must be room. */
export function putVarint(bytes: Uint8Array, at: number, value: number): number {
  let rest = value;
  let next = at;
  while (rest >= 0x80) {
    bytes[next++] = (rest % 0x80) + 0x80;
    rest = Math.floor(rest / 0x80);
  }
  bytes[next++] = rest;
  return next;
}
