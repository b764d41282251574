import { concatenated, goFloatText, isJsonObject } from '#base';
import { sortedMembers } from './yaml-key-order.ts';
import { inDoubleQuotes, isShortKey } from './yaml-text.ts';

/** A JSON value in flow style, on one line. A scalar that is no string is the same in every style. */
export function writeFlow(value: unknown): string {
  if (typeof value === 'string') return inDoubleQuotes(value);
  if (typeof value === 'number') return writeNumber(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${concatenated(value, ', ', writeFlow)}]`;
  if (!isJsonObject(value)) return 'null';
  return `{${concatenated(sortedMembers(value), ', ', writeMember)}}`;
}

function writeMember([key, value]: readonly [string, unknown]): string {
  const mark = isShortKey(key) ? '' : '? ';
  return `${mark}${inDoubleQuotes(key)}: ${writeFlow(value)}`;
}

/** Fractions below 1e-4 and from 1e6 on are written with an exponent of at least two digits. */
const writeNumber = (value: number): string => (Number.isInteger(value) && Math.abs(value) < 1e21 ? String(value) : goFloatText(value));
