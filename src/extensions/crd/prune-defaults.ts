import { hasDefaults, OBJECT_HEAD, prune, type Structural } from '#schema';

/**
 * The schema with defaults that say nothing it does not know: definitions that are older than that rule may go on to break it. What metadata of an
 * object inside an object has is known by all objects, not by the schema.
 */
export function pruneDefaults(schema: Structural): Structural {
  if (!hasDefaults(schema)) return schema;
  const { properties, additional, items, fallback, isEmbedded } = schema;
  const pruned: Structural = {
    ...schema,
    properties: new Map([...properties].map(([name, property]) => [name, isEmbedded && OBJECT_HEAD.has(name) ? property : pruneDefaults(property)])),
    additional: typeof additional === 'object' ? pruneDefaults(additional) : additional,
    items: items && pruneDefaults(items),
  };
  return fallback === undefined ? pruned : { ...pruned, fallback: prune(pruned, fallback).value };
}
