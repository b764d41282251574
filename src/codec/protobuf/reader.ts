import { BYTES, FIXED32, FIXED64, GROUP, GROUP_END, tagOf, VARINT } from './varint.ts';

/** The bytes are not protobuf, or not of the type they should be. The message is the whole of what clients are told. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** Messages inside one another. Deeper ones are refused, so that no reader can exhaust the stack. */
const MAX_DEPTH = 256;

/** A known field in another form than its own. `field` is its name. */
export const wrongWire = (wire: number, field: string): WireError => new WireError(`proto: wrong wireType = ${wire} for field ${field}`);

const endsEarly = (): WireError => new WireError('unexpected EOF');

/** Stands for all numbers that no field can have: whoever meets one passes over the value. */
const NO_FIELD = 0x1fff_ffff;

/** Reads fields one after the other, within the bounds of the message it is in. Throws `WireError`. */
export class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  #end: number;
  #depth = 0;
  /** The halves of the last number of 64 bits, unsigned. */
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.byteLength;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  /** The next field's number and wire type, as `number * 8 + wire type`. `message` is the name of what it is a field of. */
  tag(message: string): number {
    const first = this.#at < this.#end ? this.#bytes[this.#at]! : 0;
    if (first >= 8 && first < 0x80 && (first & 7) !== GROUP_END) {
      this.#at++;
      return first;
    }
    const no = this.#fieldNumber();
    const wire = this.#low & 7;
    if (wire === GROUP_END) throw new WireError(`proto: ${message}: wiretype end group for non-group`);
    if (no <= 0) throw new WireError(`proto: ${message}: illegal tag ${no} (wire type ${wire})`);
    return tagOf(Math.min(no, NO_FIELD), wire);
  }

  /** As `tag`, in an entry of a map: what has a number that no field can have is passed over there. */
  entryTag(): number {
    const no = this.#fieldNumber();
    return tagOf(no > 0 && no < NO_FIELD ? no : NO_FIELD, this.#low & 7);
  }

  /** Of a longer number the lowest 32 bits count, with a sign. */
  #fieldNumber(): number {
    this.#wide();
    return (this.#low >>> 3) | (this.#high << 29);
  }

  /** The next bytes are a message: limits reading to them. Returns what `leave` needs. */
  enter(): number {
    const length = this.#length();
    if (++this.#depth > MAX_DEPTH) throw new WireError(`proto: messages are nested deeper than ${MAX_DEPTH} levels`);
    const outer = this.#end;
    this.#end = this.#at + length;
    return outer;
  }

  leave(outer: number): void {
    this.#depth--;
    this.#at = this.#end;
    this.#end = outer;
  }

  int32(): number {
    this.#wide();
    return this.#low | 0;
  }

  /** A number while it is exact, else a bigint. */
  int64(): number | bigint {
    this.#wide();
    const low = this.#low;
    const top = this.#high | 0;
    if (top >= -0x20_0000 && top < 0x20_0000) {
      const value = top * 0x1_0000_0000 + low;
      if (Number.isSafeInteger(value)) return value;
    }
    return (BigInt(top) << 32n) | BigInt(low);
  }

  bool(): boolean {
    this.#wide();
    return this.#low !== 0 || this.#high !== 0;
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
    else throw new WireError(wire === GROUP_END ? 'proto: unexpected end of group' : `proto: illegal wireType ${wire}`);
  }

  /** Of what is in a group nobody knows anything, not even whether its ends belong together. */
  #passGroup(): void {
    for (let depth = 1; depth > 0; ) {
      this.#wide();
      const wire = this.#low & 7;
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
    const first = this.#at < this.#end ? this.#bytes[this.#at]! : 0x80;
    if (first < 0x80) {
      this.#at++;
      this.#need(first);
      return first;
    }
    this.#wide();
    // Lengths have a sign, and so has where they end.
    if (this.#high > 0x7fff_ffff || (this.#high === 0x7fff_ffff && this.#low + this.#at > 0xffff_ffff)) {
      throw new WireError('proto: negative length found during unmarshaling');
    }
    const length = this.#high * 0x1_0000_0000 + this.#low;
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

  /** Reads 64 bits into `#low` and `#high`. */
  #wide(): void {
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
      if (next < 0x80) {
        this.#low = low >>> 0;
        this.#high = high >>> 0;
        return;
      }
    }
    throw new WireError('proto: integer overflow');
  }
}
