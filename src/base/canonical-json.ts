import { concatenated } from './concatenated.ts';
import { isJsonObject } from './json-object.ts';
import { compareUtf8 } from './utf8-order.ts';

/** A value is nested more deeply than allowed. */
export class NestingFailure extends Error {
  override readonly name = 'NestingFailure';
}

/**
 * JSON with sorted members, escaped as Kubernetes does, so that equal values have equal texts. Throws `NestingFailure` for a value that is nested
 * more than `levels` deep.
 */
export function canonicalJson(value: unknown, levels = Infinity): string {
  if (levels < 0) throw new NestingFailure('the value is nested too deeply');
  if (typeof value === 'string') return PLAIN.test(value) ? `"${value}"` : escapeMarkup(JSON.stringify(value));
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${concatenated(value, ',', (item) => canonicalJson(item, levels - 1))}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(value).sort(compareUtf8);
  return `{${concatenated(names, ',', (name) => `${canonicalJson(name)}:${canonicalJson(value[name], levels - 1)}`)}}`;
}

/** Texts that need no escaping, as nearly all names. */
const PLAIN = /^[\w ./:@=-]*$/;

const MARKUP = /[<>&\u2028\u2029]/g;

/** The same JSON with the characters escaped that have a meaning in HTML, or end a line in JavaScript. */
export const escapeMarkup = (json: string): string =>
  json.replace(MARKUP, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
