import { isDeepEqual } from '#base';
import type { FieldErrors } from '#errors';
import { createStructural, prune, validateBySchema, type SchemaProps, type Structural } from '#schema';
import { validateEmbedded } from './embedded-resource.ts';

/** Says which defaults a schema would itself refuse. The schema must be structural. */
export function validateDefaults(schema: SchemaProps, at: FieldErrors): void {
  visit(createStructural(schema), true, at);
}

function visit(schema: Structural, isObject: boolean, at: FieldErrors): void {
  if (schema.fallback !== undefined) validateDefault(schema, at.child('default'));
  if (schema.items !== undefined) visit(schema.items, false, at.child('items'));
  for (const [name, property] of schema.properties) {
    const isMetadata = name === 'metadata' && (isObject || schema.isEmbedded);
    // What metadata may hold is not for schemas to say.
    if (!isMetadata) visit(property, false, at.child('properties').key(name));
  }
  if (typeof schema.additional === 'object') visit(schema.additional, false, at.child('additionalProperties'));
}

function validateDefault(schema: Structural, at: FieldErrors): void {
  const pruned = prune(schema, schema.fallback, schema.isEmbedded);
  if (pruned.dropped.length > 0 && !isDeepEqual(pruned.value, schema.fallback)) at.invalid(schema.fallback, 'must not have unknown fields');
  validateEmbedded(schema, schema.fallback, schema.isEmbedded, at);
  validateBySchema(schema.props, schema.fallback, at);
}
