import { cloneJson, isDeepEqual } from '#base';
import { goUntyped, type FieldErrors } from '#errors';
import { createStructural, DecodeFailure, prune, validateBySchema, type SchemaProps, type Structural } from '#schema';
import { normalizeEmbedded, validateEmbedded } from './embedded-resource.ts';

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
}

/** A default is not brought into normal form: a head that has none is told. */
function validateHeads(schema: Structural, at: FieldErrors): void {
  try {
    normalizeEmbedded(schema, cloneJson(schema.fallback), at);
  } catch (error) {
    if (!(error instanceof DecodeFailure)) throw error;
    const [path, why] = [error.path, error.wireText.slice(error.path.length + 2)];
    at.causes.push({ reason: 'FieldValueInvalid', message: why, field: path });
    return;
  }
  validateEmbedded(schema, schema.fallback, schema.isEmbedded, at);
}

function validateDefault(schema: Structural, at: FieldErrors): void {
  const pruned = prune(schema, schema.fallback, schema.isEmbedded);
  if (pruned.dropped.length > 0 && !isDeepEqual(pruned.value, schema.fallback)) at.invalid(goUntyped(schema.fallback), 'must not have unknown fields');
  const before = at.causes.length;
  validateHeads(schema, at);
  if (at.causes.length === before) validateBySchema(schema.props, schema.fallback, at);
}
