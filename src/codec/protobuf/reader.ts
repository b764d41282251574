import { BYTES, FIXED32, FIXED64, GROUP, GROUP_END, VARINT } from './varint.ts';

/** The bytes are not protobuf, or not of the type they should be. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** Messages inside one another. Deeper ones are refused, so that no reader can exhaust the stack. */
const MAX_DEPTH = 256;

/** A known field in another form than its own. */
export const wrongWire = (wire: number, no: number, expected: number): WireError => new WireError(`wrong wireType = ${wire} for field ${no}, expected ${expected}`);

const endsEarly = (): WireError => new WireError('unexpected EOF');

/** Reads fields one after the other, within the bounds of the message it is in. Throws `WireError`. */
export class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  #end: number;
  #depth = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.byteLength;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** The next field's number and wire type, as `number * 8 + wire type`. */
  tag(): number {
    const tag = this.varint();
    if (tag < 8 || tag > 0xffff_ffff) throw new WireError(`illegal tag ${tag} (field numbers are 1 to 2^29-1)`);
    return tag;
  }

  /** The next bytes are a message: limits reading to them. Returns what `leave` needs. */
  enter(): number {
    const length = this.#length();
    if (++this.#depth > MAX_DEPTH) throw new WireError(`messages are nested deeper than ${MAX_DEPTH} levels`);
    const outer = this.#end;
    this.#end = this.#at + length;
    return outer;
  }

  leave(outer: number): void {
    this.#depth--;
    this.#at = this.#end;
    this.#end = outer;
  }

  /** An unsigned number below 2^53; larger ones are wrong wherever this is used. */
  varint(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    for (let factor = 0x80; factor <= 0x2_0000_0000_0000; factor *= 0x80) {
      const next = this.#byte();
      value += (next & 0x7f) * factor;
      if (next < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
    }
    throw new WireError('a length or a field number is too large');
  }

  int32(): number {
    return this.#wide().low | 0;
  }

  /** A number while it is exact, else a bigint. */
  int64(): number | bigint {
    const { low, high } = this.#wide();
    const top = high | 0;
    if (top >= -0x20_0000 && top < 0x20_0000) {
      const value = top * 0x1_0000_0000 + low;
      if (Number.isSafeInteger(value)) return value;
    }
    return (BigInt(top) << 32n) | BigInt(low);
  }

  bool(): boolean {
    const { low, high } = this.#wide();
    return low !== 0 || high !== 0;
  }

  double(): number {
    this.#need(8);
    const value = this.#bytes.readDoubleLE(this.#at);
    this.#at += 8;
    return value;
  }

  /** UTF-8; what is not becomes U+FFFD. */
  text(): string {
    const length = this.#length();
    const start = this.#at;
    this.#at += length;
    return this.#bytes.toString('utf8', start, this.#at);
  }

  base64(): string {
    return Buffer.from(this.bytes()).toString('base64');
  }

  /** A view of the input. */
  bytes(): Uint8Array {
    const length = this.#length();
    const start = this.#at;
    this.#at += length;
    return this.#bytes.subarray(start, this.#at);
  }

  /** Passes over the value of an unknown field. */
  skip(wire: number): void {
    if (wire === VARINT) this.#wide();
    else if (wire === FIXED64) this.#pass(8);
    else if (wire === BYTES) this.#pass(this.#length());
    else if (wire === FIXED32) this.#pass(4);
    else if (wire === GROUP) this.#passGroup();
    else throw new WireError(`wire type ${wire} is not in use`);
  }

  /** Of what is in a group nobody knows anything, not even whether its ends belong together. */
  #passGroup(): void {
    for (let depth = 1; depth > 0; ) {
      const wire = this.#wide().low & 7;
      if (wire === GROUP) depth++;
      else if (wire === GROUP_END) depth--;
      else this.skip(wire);
    }
  }

  #byte(): number {
    if (this.#at >= this.#end) throw endsEarly();
    return this.#bytes[this.#at++]!;
  }

  #length(): number {
    const length = this.varint();
    this.#need(length);
    return length;
  }

  #need(length: number): void {
    if (length > this.#end - this.#at) throw endsEarly();
  }

  #pass(length: number): void {
    this.#need(length);
    this.#at += length;
  }

  /** 64 bits as two unsigned halves. */
  #wide(): { readonly low: number; readonly high: number } {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const next = this.#byte();
      const bits = next & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high |= bits >>> 4;
      } else high |= shift < 63 ? bits << (shift - 32) : (bits & 1) << 31;
      if (next < 0x80) return { low: low >>> 0, high: high >>> 0 };
    }
    throw new WireError('a number takes more than ten bytes');
  }
}
