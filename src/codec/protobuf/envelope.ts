import { Reader, WireError, wrongWire } from './reader.ts';
import { BYTES, tagOf } from './varint.ts';
import type { Writer } from './writer.ts';

/** The first four bytes of every body. @spec 2.6 */
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

const TYPE_META = tagOf(1, BYTES);
const RAW = tagOf(2, BYTES);
const CONTENT_ENCODING = tagOf(3, BYTES);
const CONTENT_TYPE = tagOf(4, BYTES);
const UNKNOWN_FIELDS = ['TypeMeta', 'Raw', 'ContentEncoding', 'ContentType'];
const TYPE_META_FIELDS = ['APIVersion', 'Kind'];
const API_VERSION = tagOf(1, BYTES);
const KIND = tagOf(2, BYTES);

/** The bytes of an object, with its version and kind. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** Writes the fields after the bytes of an object: empty content encoding and content type. */
export function writeEnvelopeTail(out: Writer): void {
  out.text('');
  out.varint(CONTENT_TYPE);
  out.text('');
  out.varint(CONTENT_ENCODING);
}

/** Writes the fields before the bytes of an object, of which there are `rawLength`. */
export function writeEnvelopeHead(out: Writer, apiVersion: string, kind: string, rawLength: number): void {
  out.varint(rawLength);
  out.varint(RAW);
  const start = out.length;
  out.text(kind);
  out.varint(KIND);
  out.text(apiVersion);
  out.varint(API_VERSION);
  out.lengthSince(start);
  out.varint(TYPE_META);
  out.raw(MAGIC);
}

/** The bytes of the object in an envelope that `writeEnvelopeHead` wrote; a view. */
export function rawOf(enveloped: Uint8Array): Uint8Array {
  const raw = lengthAt(enveloped, rawAt(enveloped) + 1);
  return enveloped.subarray(raw.end, raw.end + raw.length);
}

/** The same, including the tag (field 2) and the length before them. */
export function rawMemberOf(enveloped: Uint8Array): Uint8Array {
  const at = rawAt(enveloped);
  const raw = lengthAt(enveloped, at + 1);
  return enveloped.subarray(at, raw.end + raw.length);
}

function rawAt(enveloped: Uint8Array): number {
  const typeMeta = lengthAt(enveloped, MAGIC.length + 1);
  return typeMeta.end + typeMeta.length;
}

function lengthAt(bytes: Uint8Array, at: number): { readonly length: number; readonly end: number } {
  let length = 0;
  let end = at;
  for (let factor = 1; ; factor *= 0x80) {
    const byte = bytes[end++] ?? 0;
    length += (byte & 0x7f) * factor;
    if (byte < 0x80) return { length, end };
  }
}

/** Decodes an envelope; `raw` is a view. Throws `WireError` when the bytes are not an envelope. */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new WireError('empty data');
  if (MAGIC.compare(bytes, 0, Math.min(4, bytes.length)) !== 0) {
    throw new WireError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  if (bytes.length === MAGIC.length) throw new WireError('empty body');
  return readUnknown(new Reader(bytes.subarray(MAGIC.length)));
}

function readUnknown(from: Reader): Envelope {
  let typeMeta = { apiVersion: '', kind: '' };
  let raw: Uint8Array = new Uint8Array();
  let contentEncoding = '';
  while (!from.isAtEnd) {
    const tag = from.tag('Unknown');
    if (tag === TYPE_META) typeMeta = readTypeMeta(from, typeMeta);
    else if (tag === RAW) raw = from.bytes();
    else if (tag === CONTENT_ENCODING) contentEncoding = from.text();
    else skipUnknown(from, tag, UNKNOWN_FIELDS);
  }
  if (contentEncoding !== '') throw new WireError(`content encoding ${JSON.stringify(contentEncoding)} is not supported`);
  return { ...typeMeta, raw };
}

function readTypeMeta(from: Reader, before: { readonly apiVersion: string; readonly kind: string }): { apiVersion: string; kind: string } {
  let { apiVersion, kind } = before;
  const outer = from.enter();
  while (!from.isAtEnd) {
    const tag = from.tag('TypeMeta');
    if (tag === API_VERSION) apiVersion = from.text();
    else if (tag === KIND) kind = from.text();
    else skipUnknown(from, tag, TYPE_META_FIELDS);
  }
  from.leave(outer);
  return { apiVersion, kind };
}

/** Skips a field that is not read. `names`: the names of the known fields, all of which are strings or messages. */
function skipUnknown(from: Reader, tag: number, names: readonly string[]): void {
  const name = names[(tag >>> 3) - 1];
  if (name !== undefined && (tag & 7) !== BYTES) throw wrongWire(tag & 7, name);
  from.skip(tag & 7);
}
