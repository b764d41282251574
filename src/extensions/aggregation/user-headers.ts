import { badRequest, type ApiError } from '#errors';
import type { User } from '#request';

/** Says who asks, to a server that believes this one. Throws `BadRequest` for texts that no header can hold as they are. */
export function userHeaders({ name, groups, extra = {} }: User): Record<string, string | readonly string[]> {
  const more = Object.entries(extra).map(([key, values]) => [`x-remote-extra-${escapeKey(key)}`, values.map(headerText)] as const);
  return { 'x-remote-user': headerText(name), ...(groups.length === 0 ? {} : { 'x-remote-group': groups.map(headerText) }), ...Object.fromEntries(more) };
}

/** What cannot stand in a name of a header is percent-encoded, and so is the percent sign. */
const escapeKey = (key: string): string =>
  [...Buffer.from(key, 'utf8')].map((byte) => (ALLOWED.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)).join('');

const ALLOWED = /^[A-Za-z0-9!#$&'*+.^_`|~-]$/;

const cannotHandOn = (why: string): ApiError => badRequest(`the name, groups or extra of the user cannot be handed on: ${why}`);

/** Headers are bytes: those of UTF-8, each written as a character. */
function headerText(text: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  if (/[\0-\x08\n-\x1f\x7f]/.test(text)) throw cannotHandOn('there are control characters in them');
  // Whoever reads a header leaves it out: ` system:masters` would become another group.
  if (/^[ \t]|[ \t]$/.test(text)) throw cannotHandOn('there is space at an end of them');
  return Buffer.from(text, 'utf8').toString('latin1');
}
