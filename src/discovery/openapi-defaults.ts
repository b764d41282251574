import { isJsonObject } from '#base';
import type { OpenapiDefinitions, OpenapiSchema } from '#schema';
import { withInner } from './inner-schemas.ts';
import { mapInTurns } from './map-in-turns.ts';

/** Definitions without defaults, which v2 documents have never had. */
export const withoutDefaults = (definitions: OpenapiDefinitions): Promise<OpenapiDefinitions> =>
  mapInTurns(definitions, (definition) => withoutDefault(definition) as OpenapiSchema);

function withoutDefault(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  const { default: _, ...members } = schema;
  return withInner(members, withoutDefault);
}
