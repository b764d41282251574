import { isJsonObject } from '#base';

/** The prefix of references to definitions in a v2 document. */
export const REFERENCE = '#/definitions/';

/** Collects the names of definitions that a value refers to, at any depth. */
export function referencesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) referencesIn(item, found);
  else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (name === '$ref' && typeof member === 'string' && member.startsWith(REFERENCE)) found.add(member.slice(REFERENCE.length));
      else referencesIn(member, found);
    }
  }
  return found;
}

/** The definitions that a value refers to, directly or through others. */
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
