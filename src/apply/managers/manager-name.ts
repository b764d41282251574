import { utf8Length } from '#base';

/** In bytes; the same limit as for the `fieldManager` option. */
const MAX_MANAGER_BYTES = 128;

/**
 * The field manager of a write: the `fieldManager` of the request, else its user agent up to the first `/`, without unprintable characters and cut to
 * 128 bytes. `unknown` when that is empty.
 * @spec 4.9
 */
export function managerName(fieldManager: string, userAgent: string): string {
  if (fieldManager !== '') return fieldManager;
  let name = known.get(userAgent);
  if (name === undefined) {
    name = nameOf(userAgent);
    if (known.size >= MAX_KNOWN) known.clear();
    if (userAgent.length <= MAX_KNOWN_LENGTH) known.set(userAgent, name);
  }
  return name;
}

/** Names by user agent: a server has few different clients. */
const known = new Map<string, string>();
const MAX_KNOWN = 256;
const MAX_KNOWN_LENGTH = 256;

function nameOf(userAgent: string): string {
  const end = userAgent.indexOf('/');
  let name = '';
  let bytes = 0;
  for (const character of end < 0 ? userAgent : userAgent.slice(0, end)) {
    if (!PRINTABLE.test(character)) continue;
    bytes += utf8Length(character);
    if (bytes > MAX_MANAGER_BYTES) break;
    name += character;
  }
  return name === '' ? 'unknown' : name;
}

/** Letters, marks, numbers, punctuation, symbols and the ASCII space. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;
