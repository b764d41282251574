import { hasDefaults, prune, type Structural } from '#schema';

/** The schema with defaults that say nothing it does not know: definitions that are older than that rule may go on to break it. */
export function pruneDefaults(schema: Structural): Structural {
  if (!hasDefaults(schema)) return schema;
  const { properties, additional, items, fallback } = schema;
  const pruned: Structural = {
    ...schema,
    properties: new Map([...properties].map(([name, property]) => [name, pruneDefaults(property)])),
    additional: typeof additional === 'object' ? pruneDefaults(additional) : additional,
    items: items && pruneDefaults(items),
  };
  return fallback === undefined ? pruned : { ...pruned, fallback: prune(pruned, fallback).value };
}
