import { isJsonObject } from '#base';

/** Where definitions of a document of version 2 are referred to. */
export const REFERENCE = '#/definitions/';

/** Names of definitions that a value refers to, however deep. */
function referencesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) referencesIn(item, found);
  else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (name === '$ref' && typeof member === 'string' && member.startsWith(REFERENCE)) found.add(member.slice(REFERENCE.length));
      else referencesIn(member, found);
    }
  }
  return found;
}

/** Of these definitions those that a value refers to, and those that they refer to in turn. */
export function definitionsFor<T>(value: unknown, known: ReadonlyMap<string, T>): ReadonlyMap<string, T> {
  const needed = new Map<string, T>();
  const waiting = referencesIn(value);
  for (const name of waiting) {
    const definition = known.get(name);
    if (definition === undefined) continue;
    needed.set(name, definition);
    referencesIn(definition, waiting);
  }
  return needed;
}
