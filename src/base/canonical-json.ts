import { isJsonObject } from './json-object.ts';
import { compareUtf8 } from './utf8-order.ts';

/** A value has more levels than may be written. */
export class NestingFailure extends Error {
  override readonly name = 'NestingFailure';
}

/**
 * JSON with sorted members, escaped as Kubernetes escapes it, so that equal values are equal texts. Throws `NestingFailure` below `levels`, where
 * that is given.
 */
export function canonicalJson(value: unknown, levels = Infinity): string {
  if (levels < 0) throw new NestingFailure('the value is nested too deeply');
  if (typeof value === 'string') return PLAIN.test(value) ? `"${value}"` : escapeMarkup(JSON.stringify(value));
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, levels - 1)).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const names = Object.keys(value).sort(compareUtf8);
  return `{${names.map((name) => `${canonicalJson(name)}:${canonicalJson(value[name], levels - 1)}`).join(',')}}`;
}

/** Nothing to escape: nearly every name. */
const PLAIN = /^[\w ./:@=-]*$/;

const MARKUP = /[<>&\u2028\u2029]/g;

/** JSON in which nothing can be taken for HTML, or for the end of a line of JavaScript. */
export const escapeMarkup = (json: string): string =>
  json.replace(MARKUP, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
