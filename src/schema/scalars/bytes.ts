import type { Scalar } from './scalar.ts';

const FORM = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Bytes as base64 text (RFC 4648 section 4, padded). Line breaks inside are ignored, as Go's decoder does.
 */
export const bytesScalar: Scalar<string> = {
  name: 'bytes',
  openapi: { type: 'string', format: 'byte' },
  zero: null,
  read(value) {
    if (typeof value !== 'string') return undefined;
    const text = value.includes('\n') || value.includes('\r') ? value.replaceAll(/[\r\n]/g, '') : value;
    return isBase64(text) ? text : undefined;
  },
};

/** The regular expression has no choice to go back on, but engines recurse over long repeats: long texts are checked in pieces. */
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
