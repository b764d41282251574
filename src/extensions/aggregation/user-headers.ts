import { badRequest, type ApiError } from '#errors';
import type { User } from '#request';

/** The headers that name the user to an aggregated server. Throws `BadRequest` for values that no header can carry unchanged. */
export function userHeaders({ name, groups, extra = {} }: User): Record<string, string | readonly string[]> {
  const more = Object.entries(extra).map(([key, values]) => [`x-remote-extra-${escapeKey(key)}`, values.map(headerText)] as const);
  return { 'x-remote-user': headerText(name), ...(groups.length === 0 ? {} : { 'x-remote-group': groups.map(headerText) }), ...Object.fromEntries(more) };
}

/** Percent-encodes characters that header names cannot contain, and the percent sign. */
const escapeKey = (key: string): string =>
  [...Buffer.from(key, 'utf8')].map((byte) => (ALLOWED.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)).join('');

const ALLOWED = /^[A-Za-z0-9!#$&'*+.^_`|~-]$/;

const cannotHandOn = (why: string): ApiError => badRequest(`the name, groups or extra of the user cannot be handed on: ${why}`);

/** Encodes a value as UTF-8 bytes, one character each. */
function headerText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  if (/[\0-\x08\n-\x1f\x7f]/.test(text)) throw cannotHandOn('there are control characters in them');
  // Receivers strip surrounding white space: ` system:masters` would become another group.
  if (/^[ \t]|[ \t]$/.test(text)) throw cannotHandOn('there is space at an end of them');
  return Buffer.from(text, 'utf8').toString('latin1');
}
