import { MAX_MESSAGES } from '#schema';
import { BYTES, FIXED32, FIXED64, GROUP, GROUP_END, tagOf, VARINT } from './varint.ts';

/** The bytes are not protobuf, or not of the expected type. The message is sent to the client. */
export class WireError extends Error {
  override readonly name = 'WireError';
}

/** The deepest nesting of messages that is accepted, so that no reader can exhaust the stack. */
const MAX_DEPTH = 256;

/** The error for a known field with the wrong wire type. `field` is its name. */
export const wrongWire = (wire: number, field: string): WireError => new WireError(`proto: wrong wireType = ${wire} for field ${field}`);

const endsEarly = (): WireError => new WireError('unexpected EOF');

/** Stands for field numbers that cannot exist: their values are skipped. */
const NO_FIELD = 0x1fff_ffff;

/** Reads fields one after the other, within the bounds of the current message. Methods throw `WireError`. */
export class Reader {
  readonly #bytes: Buffer;
  #at = 0;
  #end: number;
  #depth = 0;
  #entered = 0;
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

  /** The tag of the next field: `number * 8 + wire type`. `message`: the name of the message, for errors. */
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

  /** As `tag`, in a map entry, where a number that no field can have is not an error, but the field is skipped. */
  entryTag(): number {
    const no = this.#fieldNumber();
    return tagOf(no > 0 && no < NO_FIELD ? no : NO_FIELD, this.#low & 7);
  }

  /** Reads a tag; returns its field number as a signed 32-bit number, to which longer ones are truncated. */
  #fieldNumber(): number {
    this.#wide();
    return (this.#low >>> 3) | (this.#high << 29);
  }

  /** Enters a nested message: limits reading to it. Returns a value for `leave`. */
  enter(): number {
    const length = this.#length();
    if (++this.#depth > MAX_DEPTH) throw new WireError(`proto: messages are nested deeper than ${MAX_DEPTH} levels`);
    if (++this.#entered > MAX_MESSAGES) throw new WireError(`proto: there are more than ${MAX_MESSAGES} messages`);
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

  /** A number if that is exact, else a bigint. */
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

  /** A string; bytes that are not UTF-8 become U+FFFD. */
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

  /** Skips the value of an unknown field. */
  skip(wire: number): void {
    if (wire === VARINT) this.#wide();
    else if (wire === FIXED64) this.#pass(8);
    else if (wire === BYTES) this.#pass(this.#length());
    else if (wire === FIXED32) this.#pass(4);
    else if (wire === GROUP) this.#passGroup();
    else throw new WireError(wire === GROUP_END ? 'proto: unexpected end of group' : `proto: illegal wireType ${wire}`);
  }

  /** The contents of a group are not known, not even whether its ends belong together. */
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
    // As in Go, a length is a signed 64-bit number, and so is the position of its end, which may overflow.
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
