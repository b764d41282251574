import { JsonSyntaxError, parseJson } from '#base';
import { quantityMisfit, type ScalarName } from '#schema';
import { WireError, wrongWire, type Reader } from './reader.ts';
import { microTimeText, timeText } from './time.ts';
import { BYTES, FIXED64, VARINT } from './varint.ts';

interface ScalarReader {
  readonly wire: number;
  read(from: Reader): unknown;
}

/** A message whose fields are numbered consecutively from 1. */
interface Fields {
  readonly message: string;
  readonly names: readonly string[];
  readonly wires: readonly number[];
}

/** Reads the fields of a message. Returns whether it is empty. */
function readFields(from: Reader, { message, names, wires }: Fields, field: (no: number) => void): boolean {
  const outer = from.enter();
  const isEmpty = from.isAtEnd;
  while (!from.isAtEnd) {
    const tag = from.tag(message);
    const no = tag >>> 3;
    const expected = wires[no - 1];
    if (expected === undefined) from.skip(tag & 7);
    else if (expected === (tag & 7)) field(no);
    else throw wrongWire(tag & 7, names[no - 1] ?? '');
  }
  from.leave(outer);
  return isEmpty;
}

const TIME: Fields = { message: 'Timestamp', names: ['Seconds', 'Nanos'], wires: [VARINT, VARINT] };
const RAW: Fields = { message: 'RawExtension', names: ['Raw'], wires: [BYTES] };
const QUANTITY: Fields = { message: 'Quantity', names: ['String_'], wires: [BYTES] };
const INT_OR_STRING: Fields = { message: 'IntOrString', names: ['Type', 'IntVal', 'StrVal'], wires: [VARINT, VARINT, BYTES] };

function readTime(from: Reader, text: (seconds: number | bigint, nanos: number) => string | null): string | null {
  let seconds: number | bigint = 0;
  let nanos = 0;
  const isEmpty = readFields(from, TIME, (no) => {
    if (no === 1) seconds = from.int64();
    else nanos = from.int32();
  });
  return isEmpty ? null : text(seconds, nanos);
}

function readRaw(from: Reader): unknown {
  let raw: Uint8Array | undefined;
  readFields(from, RAW, () => {
    raw = from.bytes();
  });
  if (raw === undefined || raw.length === 0) return null;
  try {
    return parseJson(raw);
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new WireError(`proto: raw content is not JSON: ${error.message}`);
    throw error;
  }
}

function readQuantity(from: Reader): string {
  let text = '0';
  readFields(from, QUANTITY, () => {
    text = from.text();
    // Only in JSON may a quantity be empty or surrounded by white space.
    if (text === '' || text !== text.trim()) throw new WireError(quantityMisfit(''));
  });
  return text;
}

function readIntOrString(from: Reader): number | string {
  let isText = false;
  let number = 0;
  let text = '';
  readFields(from, INT_OR_STRING, (no) => {
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
