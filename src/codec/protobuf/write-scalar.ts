import { escapeMarkup, jsonText, stringifyJson } from '#base';
import type { ScalarName } from '#schema';
import { nanosOf, secondsOf } from './time.ts';
import { BYTES, FIXED64, VARINT } from './varint.ts';
import type { Writer } from './writer.ts';

/** Writes a value; its tag is written afterwards. `undefined` and `null` mean the zero value. */
export type WriteValue = (out: Writer, value: unknown) => void;

interface ScalarWriter {
  readonly wire: number;
  readonly write: WriteValue;
  /** Whether a missing value is not written at all, while other scalars write their zero value. */
  readonly isAbsentWhenNull?: true;
}

const FIRST = 0o12;
const SECOND = 0o20;

function writeTime(out: Writer, value: unknown): void {
  const start = out.length;
  if (typeof value === 'string') {
    out.varint(nanosOf(value));
    out.varint(SECOND);
    out.signed(secondsOf(value));
    out.varint(0o10);
  }
  out.lengthSince(start);
}

/** Writes JSON as a message with one field (`RawExtension`). */
const rawWriter =
  (write: (out: Writer, value: unknown) => void): WriteValue =>
  (out, value) => {
    const start = out.length;
    if (value !== undefined && value !== null) {
      write(out, value);
      out.varint(FIRST);
    }
    out.lengthSince(start);
  };

/** With the escapes that Kubernetes writes: clients compare such bytes with what they would write themselves. */
const writeRaw = rawWriter((out, value) => out.text(escapeMarkup(jsonText(value))));

/** Nobody compares the bytes of sets of fields, and there is one in every object. */
const writeFields = rawWriter((out, value) => out.bytes(stringifyJson(value)));

function writeQuantity(out: Writer, value: unknown): void {
  const start = out.length;
  out.text(typeof value === 'string' ? value : '0');
  out.varint(FIRST);
  out.lengthSince(start);
}

function writeIntOrString(out: Writer, value: unknown): void {
  const start = out.length;
  out.text(typeof value === 'string' ? value : '');
  out.varint(0o32);
  out.signed(typeof value === 'number' ? value : 0);
  out.varint(SECOND);
  out.varint(typeof value === 'string' ? 1 : 0);
  out.varint(0o10);
  out.lengthSince(start);
}

const writeNumber: WriteValue = (out, value) => out.signed((value ?? 0) as number | bigint);

/** The writers of scalars. Times, quantities and the like are messages on the wire. */
export const SCALAR_WRITERS: Readonly<Record<ScalarName, ScalarWriter>> = {
  string: { wire: BYTES, write: (out, value) => out.text((value ?? '') as string) },
  bool: { wire: VARINT, write: (out, value) => out.varint(value === true ? 1 : 0) },
  int32: { wire: VARINT, write: writeNumber },
  int64: { wire: VARINT, write: writeNumber },
  double: { wire: FIXED64, write: (out, value) => out.double((value ?? 0) as number) },
  bytes: { wire: BYTES, write: (out, value) => out.base64((value ?? '') as string), isAbsentWhenNull: true },
  time: { wire: BYTES, write: writeTime },
  microTime: { wire: BYTES, write: writeTime },
  quantity: { wire: BYTES, write: writeQuantity },
  intOrString: { wire: BYTES, write: writeIntOrString },
  rawObject: { wire: BYTES, write: writeRaw },
  fieldsV1: { wire: BYTES, write: writeFields },
  json: { wire: BYTES, write: writeRaw },
};
