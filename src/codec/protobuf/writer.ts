import { putVarint, varintSize } from './varint.ts';

const FIRST_BYTES = 16 * 1024;
/** A buffer that has grown beyond this is not reused. */
const KEPT_BYTES = 1024 * 1024;

/**
 * Writes a message backwards, from its end to its beginning, so that each length is known when it is written, and nothing is moved or measured twice.
 */
export class Writer {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #at = FIRST_BYTES;

  /** The number of bytes written so far. */
  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** Returns a copy of the written bytes; the writer is empty afterwards. */
  finish(): Uint8Array {
    const written = Uint8Array.prototype.slice.call(this.#bytes, this.#at);
    this.reset();
    return Buffer.from(written.buffer, written.byteOffset, written.length);
  }

  /** Discards the written bytes. */
  reset(): void {
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
    this.#at = this.#bytes.length;
  }

  /** Writes an unsigned integer below 2^53. */
  varint(value: number): void {
    if (value < 0x80) {
      if (this.#at === 0) this.#grow(1);
      this.#bytes[--this.#at] = value;
      return;
    }
    const size = varintSize(value);
    this.#room(size);
    this.#at -= size;
    putVarint(this.#bytes, this.#at, value);
  }

  /** Writes a signed 32-bit or 64-bit number; negative ones take ten bytes. */
  signed(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) this.varint(value);
    else this.#wide(BigInt.asUintN(64, BigInt(value)));
  }

  double(value: number): void {
    this.#room(8);
    this.#at -= 8;
    this.#bytes.writeDoubleLE(value, this.#at);
  }

  /** Writes the number of bytes written since `length` was `since`. */
  lengthSince(since: number): void {
    this.varint(this.length - since);
  }

  /** Writes a string as UTF-8, with its length. */
  text(value: string): void {
    const { length } = value;
    if (length > 64 || !this.#shortAscii(value)) {
      const size = Buffer.byteLength(value, 'utf8');
      this.#room(size);
      this.#at -= size;
      this.#bytes.write(value, this.#at, size, 'utf8');
      this.varint(size);
    } else {
      this.varint(length);
    }
  }

  /** Writes the bytes that a base64 text encodes, with their length. */
  base64(value: string): void {
    this.bytes(Buffer.from(value, 'base64'));
  }

  bytes(value: Uint8Array): void {
    this.raw(value);
    this.varint(value.length);
  }

  /** Writes bytes without their length. */
  raw(value: Uint8Array): void {
    this.#room(value.length);
    this.#at -= value.length;
    this.#bytes.set(value, this.#at);
  }

  #shortAscii(value: string): boolean {
    const { length } = value;
    this.#room(length);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let position = length - 1; position >= 0; position--) {
      const unit = value.charCodeAt(position);
      if (unit >= 0x80) return false;
      bytes[--at] = unit;
    }
    this.#at = at;
    return true;
  }

  #wide(value: bigint): void {
    const bytes: number[] = [];
    let rest = value;
    while (rest >= 0x80n) {
      bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    bytes.push(Number(rest));
    this.raw(Uint8Array.from(bytes));
  }

  #room(size: number): void {
    if (this.#at < size) this.#grow(size);
  }

  #grow(size: number): void {
    const { length } = this;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, length + size * 2));
    this.#bytes.copy(grown, grown.length - length, this.#at);
    this.#at = grown.length - length;
    this.#bytes = grown;
  }
}
