import { JsonSyntaxError, parseJson } from '#base';
import type { ScalarName } from '#schema';
import { WireError, wrongWire, type Reader } from './reader.ts';
import { microTimeText, timeText } from './time.ts';
import { BYTES, FIXED64, VARINT } from './varint.ts';

interface ScalarReader {
  readonly wire: number;
  read(from: Reader): unknown;
}

/** Reads the fields of a message; `wires` are the wire types of those that `field` takes, by number. Returns whether there is nothing in it. */
function readFields(from: Reader, wires: readonly number[], field: (no: number) => void): boolean {
  const outer = from.enter();
  const isEmpty = from.isAtEnd;
  while (!from.isAtEnd) {
    const tag = from.tag();
    const no = tag >>> 3;
    const expected = wires[no - 1];
    if (expected === undefined) from.skip(tag & 7);
    else if (expected === (tag & 7)) field(no);
    else throw wrongWire(tag & 7, no, expected);
  }
  from.leave(outer);
  return isEmpty;
}

const TIME_WIRES: readonly number[] = [VARINT, VARINT];
const ONE_TEXT_WIRES: readonly number[] = [BYTES];
const INT_OR_STRING_WIRES: readonly number[] = [VARINT, VARINT, BYTES];

function readTime(from: Reader, text: (seconds: number | bigint, nanos: number) => string | null): string | null {
  let seconds: number | bigint = 0;
  let nanos = 0;
  const isEmpty = readFields(from, TIME_WIRES, (no) => {
    if (no === 1) seconds = from.int64();
    else nanos = from.int32();
  });
  return isEmpty ? null : text(seconds, nanos);
}

function readRaw(from: Reader): unknown {
  let raw: Uint8Array | undefined;
  readFields(from, ONE_TEXT_WIRES, () => {
    raw = from.bytes();
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
  readFields(from, ONE_TEXT_WIRES, () => {
    text = from.text();
  });
  return text;
}

function readIntOrString(from: Reader): number | string {
  let isText = false;
  let number = 0;
  let text = '';
  readFields(from, INT_OR_STRING_WIRES, (no) => {
    if (no === 1) isText = from.int64() !== 0;
    else if (no === 2) number = from.int32();
    else text = from.text();
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
