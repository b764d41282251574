import { createStructural, DecodeFailure, type SchemaProps, type Structural } from '#schema';
import { normalizeEmbedded } from './embedded-resource.ts';

/** Normalizes the metadata of embedded API objects in the defaults of a schema, in place. Malformed metadata is left for validation to report. */
export function normalizeDefaults(schema: SchemaProps): void {
  visit({ ...createStructural(schema), isEmbedded: true });
}

function visit(schema: Structural): void {
  normalize(schema);
  if (schema.items !== undefined) visit(schema.items);
  for (const property of schema.properties.values()) visit(property);
}

function normalize(schema: Structural): void {
  try {
    normalizeEmbedded(schema, schema.fallback);
  } catch (error) {
    if (!(error instanceof DecodeFailure)) throw error;
  }
}
