import { cloneJson, isDeepEqual } from '#base';
import { FieldErrors, goUntyped, inOneMessage } from '#errors';
import { createStructural, DecodeFailure, prune, validateBySchema, OBJECT_HEAD, type Judging, type SchemaProps, type Structural } from '#schema';
import { normalizeEmbedded, validateEmbedded } from './embedded-resource.ts';

/** Reports defaults that the schema itself would refuse. The schema must be structural. All defaults of a definition have one `judging`: they may be many. */
export function validateDefaults(schema: SchemaProps, judging: Judging, at: FieldErrors): void {
  visit({ ...createStructural(schema), isEmbedded: true }, undefined, judging, at);
}

/** The embedded object whose type or metadata a schema describes, and a function that builds it around a value at that place. */
interface Head {
  readonly object: Structural;
  wrap(value: unknown): Record<string, unknown>;
}

/** Values for the other required fields of such an object. */
const STAND_IN = { kind: 'Validation', apiVersion: 'validation/v1' };

/** `head`: set where the schema describes a part of an object's type or metadata. */
function visit(schema: Structural, head: Head | undefined, judging: Judging, at: FieldErrors): void {
  const above = schema.isEmbedded ? undefined : head;
  if (schema.fallback !== undefined) {
    if (above === undefined) validateDefault(schema, judging, at.child('default'));
    else validateHeadDefault(schema, above, judging, at.child('default'));
  }
  if (schema.items !== undefined) visit(schema.items, above && { ...above, wrap: (value) => above.wrap([value]) }, judging, at.child('items'));
  for (const [name, property] of schema.properties) visit(property, headOf(schema, name, above), judging, at.child('properties').key(name));
}

function headOf(schema: Structural, name: string, above: Head | undefined): Head | undefined {
  if (above !== undefined) return { ...above, wrap: (value) => above.wrap({ [name]: value }) };
  return schema.isEmbedded && OBJECT_HEAD.has(name) ? { object: schema, wrap: (value) => ({ ...STAND_IN, [name]: value }) } : undefined;
}

/** A default inside type or metadata must result in valid metadata. */
function validateHeadDefault(schema: Structural, { object, wrap }: Head, judging: Judging, at: FieldErrors): void {
  const found = new FieldErrors();
  validateHeads({ ...object, fallback: wrap(schema.fallback) }, found);
  const texts = found.causes.map(({ field, message }) => `${field ?? ''}: ${message ?? ''}`);
  if (texts.length === 0) validateBySchema(schema.props, schema.fallback, at, judging);
  else at.invalid(goUntyped(schema.fallback), `must result in valid metadata: ${inOneMessage(texts)}`);
}

/** Validates metadata inside a default; that which cannot be normalized is reported. */
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

function validateDefault(schema: Structural, judging: Judging, at: FieldErrors): void {
  const pruned = prune(schema, schema.fallback);
  if (pruned.dropped.length > 0 && !isDeepEqual(pruned.value, schema.fallback)) at.invalid(goUntyped(schema.fallback), 'must not have unknown fields');
  const before = at.causes.length;
  validateHeads(schema, at);
  if (at.causes.length === before) validateBySchema(schema.props, schema.fallback, at, judging);
}
