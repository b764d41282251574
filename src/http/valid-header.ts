import { validateHeaderName, validateHeaderValue } from 'node:http';

/** Most values are the same in answer after answer, as all names are; this header alone never has the same value twice. */
const knownValues = new Set<string>();
const knownNames = new Set<string>();
const MAX_KNOWN = 64;
const ALWAYS_NEW = 'audit-id';

/**
 * The value as it may go over the wire, without space around it. Throws for what HTTP forbids in a name or a value: not every way of sending
 * looks, and a header that is left out, or begins another one, would be noticed by nobody.
 */
export function validHeader(name: string, value: string): string {
  if (!knownNames.has(name)) {
    validateHeaderName(name);
    remember(knownNames, name);
  }
  if (knownValues.has(value)) return value;
  validateHeaderValue(name, value);
  const bare = withoutSpace(value);
  if (name !== ALWAYS_NEW) remember(knownValues, bare);
  return bare;
}

/** `trim` would take bytes of UTF-8 for spaces. */
function withoutSpace(value: string): string {
  let [from, to] = [0, value.length];
  while (from < to && isSpace(value, from)) from++;
  while (to > from && isSpace(value, to - 1)) to--;
  return value.slice(from, to);
}

const isSpace = (text: string, at: number): boolean => text[at] === ' ' || text[at] === '\t';

function remember(known: Set<string>, text: string): void {
  if (known.size >= MAX_KNOWN) known.clear();
  known.add(text);
}
