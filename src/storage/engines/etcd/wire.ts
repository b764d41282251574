/** Wire types of protobuf. */
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

const text = new TextDecoder();

/** Builds one protobuf message. Fields with their default value (0, false, empty) are left out. */
export class MessageWriter {
  readonly #pieces: Uint8Array[] = [];

  int(field: number, value: number | bigint): this {
    if (value !== 0 && value !== 0n) this.#pieces.push(varint((field << 3) | VARINT), varint(value));
    return this;
  }

  flag(field: number, value: boolean): this {
    return this.int(field, value ? 1 : 0);
  }

  bytes(field: number, value: Uint8Array | string): this {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    if (bytes.length > 0) this.#pieces.push(varint((field << 3) | BYTES), varint(bytes.length), bytes);
    return this;
  }

  /** A nested message, written even when it is empty: its presence has a meaning. */
  message(field: number, value: MessageWriter): this {
    const bytes = value.finish();
    this.#pieces.push(varint((field << 3) | BYTES), varint(bytes.length), bytes);
    return this;
  }

  finish(): Buffer {
    return Buffer.concat(this.#pieces);
  }
}

/** One field of a message that was received. */
export interface Field {
  readonly number: number;
  /** The value of a varint, read as an unsigned 64-bit number. Exact up to 2^53. 0 for bytes. */
  readonly int: number;
  /** The same number as a signed 64-bit integer, exact. */
  readonly big: () => bigint;
  /** A view; empty for numbers. */
  readonly bytes: Uint8Array;
}

const NOTHING = new Uint8Array();

/** The fields of a message, in order. Throws `RangeError` when the bytes are not a message. */
export function* fieldsOf(message: Uint8Array): Generator<Field> {
  const end = message.length;
  let at = 0;
  const next = (): { low: number; start: number } => {
    const start = at;
    let low = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = message[at++];
      if (byte === undefined || at - start > 10) throw new RangeError('a number of the message is cut off');
      low += (byte & 0x7f) * factor;
      if (byte < 0x80) return { low, start };
    }
  };
  while (at < end) {
    const { low: tag } = next();
    const number = Math.floor(tag / 8);
    const type = tag % 8;
    if (type === VARINT) {
      const { low, start } = next();
      const stop = at;
      yield { number, int: low, big: () => bigOf(message, start, stop), bytes: NOTHING };
      continue;
    }
    const length = type === BYTES ? next().low : type === FIXED64 ? 8 : type === FIXED32 ? 4 : Infinity;
    if (at + length > end) throw new RangeError('a field of the message is cut off');
    if (type === BYTES) yield { number, int: 0, big: () => 0n, bytes: message.subarray(at, at + length) };
    at += length;
  }
}

export const textOf = (bytes: Uint8Array): string => text.decode(bytes);

function varint(value: number | bigint): Uint8Array {
  if (typeof value === 'number' && value < 0x80) return Uint8Array.of(value);
  const bytes: number[] = [];
  if (typeof value === 'number' && value >= 0 && Number.isSafeInteger(value)) {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
    bytes.push(rest);
    return Uint8Array.from(bytes);
  }
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

function bigOf(bytes: Uint8Array, start: number, end: number): bigint {
  let value = 0n;
  for (let at = end - 1; at >= start; at--) value = (value << 7n) | BigInt((bytes[at] ?? 0) & 0x7f);
  return BigInt.asIntN(64, value);
}
