import { validateHeaderName, validateHeaderValue } from 'node:http';

/** Names and most values repeat from response to response; the value of this header alone never does. */
const knownValues = new Set<string>();
const knownNames = new Set<string>();
const MAX_KNOWN = 64;
const ALWAYS_NEW = 'audit-id';

/**
 * The value to send, without surrounding white space. Throws for characters that HTTP forbids in a name or a value: not every way of sending checks
 * that, and a header that is dropped, or that injects another, would go unnoticed.
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

/** `trim` would also strip U+00A0, which here is a byte of a UTF-8 sequence. */
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
