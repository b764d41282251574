import { JsonSyntaxError, parseJson } from '#base';
import type { ScalarName } from '#schema';
import { WireError, type Reader } from './reader.ts';
import { microTimeText, timeText } from './time.ts';
import { BYTES, FIXED64, VARINT } from './varint.ts';

interface ScalarReader {
  readonly wire: number;
  read(from: Reader): unknown;
}

/** Reads the fields of a message; `field` takes those it knows and says so. */
function readFields(from: Reader, field: (no: number, wire: number) => boolean): void {
  const outer = from.enter();
  while (!from.isAtEnd) {
    const tag = from.tag();
    if (!field(tag >>> 3, tag & 7)) from.skip(tag & 7);
  }
  from.leave(outer);
}

function readTime(from: Reader, text: (seconds: number | bigint, nanos: number) => string | null): string | null {
  let seconds: number | bigint = 0;
  let nanos = 0;
  let isEmpty = true;
  readFields(from, (no, wire) => {
    isEmpty = false;
    if (wire !== VARINT) return false;
    if (no === 1) seconds = from.int64();
    else if (no === 2) nanos = from.int32();
    else return false;
    return true;
  });
  return isEmpty ? null : text(seconds, nanos);
}

function readRaw(from: Reader): unknown {
  let raw: Uint8Array | undefined;
  readFields(from, (no, wire) => {
    if (no !== 1 || wire !== BYTES) return false;
    raw = from.bytes();
    return true;
  });
  if (raw === undefined || raw.length === 0) return null;
  try {
    return parseJson(raw);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new WireError(`raw content is not JSON: ${error.message}`);
    throw error;
  }
}

function readQuantity(from: Reader): string {
  let text = '0';
  readFields(from, (no, wire) => {
    if (no !== 1 || wire !== BYTES) return false;
    text = from.text();
    return true;
  });
  return text;
}

function readIntOrString(from: Reader): number | string {
  let isText = false;
  let number = 0;
  let text = '';
  readFields(from, (no, wire) => {
    if (no === 1 && wire === VARINT) isText = from.int64() !== 0;
    else if (no === 2 && wire === VARINT) number = from.int32();
    else if (no === 3 && wire === BYTES) text = from.text();
    else return false;
    return true;
  });
  return isText ? text : number;
}

/** One row per scalar; see `write-scalar.ts`. */
export const SCALAR_READERS: Readonly<Record<ScalarName, ScalarReader>> = {
  string: { wire: BYTES, read: (from) => from.text() },
  bool: { wire: VARINT, read: (from) => from.bool() },
  int32: { wire: VARINT, read: (from) => from.int32() },
  int64: { wire: VARINT, read: (from) => from.int64() },
  double: { wire: FIXED64, read: (from) => from.double() },
  bytes: { wire: BYTES, read: (from) => from.base64() },
  time: { wire: BYTES, read: (from) => readTime(from, timeText) },
  microTime: { wire: BYTES, read: (from) => readTime(from, microTimeText) },
  quantity: { wire: BYTES, read: readQuantity },
  intOrString: { wire: BYTES, read: readIntOrString },
  rawObject: { wire: BYTES, read: readRaw },
  fieldsV1: { wire: BYTES, read: readRaw },
  json: { wire: BYTES, read: readRaw },
};
