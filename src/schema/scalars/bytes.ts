import type { Scalar } from './scalar.ts';

const FORM = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Bytes as base64 text (RFC 4648 section 4, padded). As in Go's decoder, line breaks inside are ignored, bits behind the last byte mean
 * nothing, and a list of numbers is read as the bytes it names.
 */
export const bytesScalar: Scalar<string> = {
  name: 'bytes',
  openapi: { type: 'string', format: 'byte' },
  zero: null,
  read(value) {
    if (Array.isArray(value)) return fromNumbers(value);
    if (typeof value !== 'string') return undefined;
    const text = value.includes('\n') || value.includes('\r') ? value.replaceAll(/[\r\n]/g, '') : value;
    return isBase64(text) ? withoutSpareBits(text) : undefined;
  },
};

/** null counts as a zero byte. */
function fromNumbers(items: readonly unknown[]): string | undefined {
  if (!items.every((item) => item === null || isByte(item))) return undefined;
  let binary = '';
  for (const item of items) binary += String.fromCharCode((item as number | null) ?? 0);
  return btoa(binary);
}

/** Whether a value can be one byte. */
export const isByte = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;

/** Canonical base64: two texts for the same bytes would look like a change. */
function withoutSpareBits(text: string): string {
  if (!text.endsWith('=')) return text;
  const last = text.slice(-4);
  const plain = btoa(atob(last));
  return plain === last ? text : text.slice(0, -4) + plain;
}

/** The regular expression cannot backtrack, but engines recurse over long repeats: long texts are checked in pieces. */
function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  const piece = 8192;
  for (let at = 0; at < text.length; at += piece) {
    const part = text.slice(at, at + piece);
    if (at + piece < text.length && part.includes('=')) return false;
    if (!FORM.test(part)) return false;
  }
  return true;
}
