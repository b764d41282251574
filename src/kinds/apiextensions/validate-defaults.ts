import { cloneJson, isDeepEqual } from '#base';
import { FieldErrors, goUntyped, inOneMessage } from '#errors';
import { createStructural, DecodeFailure, prune, validateBySchema, OBJECT_HEAD, type Judging, type SchemaProps, type Structural } from '#schema';
import { normalizeEmbedded, validateEmbedded } from './embedded-resource.ts';

/** Reports defaults that the schema itself would refuse. The schema must be structural. */
export function validateDefaults(schema: SchemaProps, rules: DefaultRules, at: FieldErrors): void {
  eachDefault(asObject(schema), undefined, at, (part, head, place) => {
    if (head === undefined) validateDefault(part, rules, place);
    else validateHeadDefault(part, head, rules.judging, place);
  });
}

export interface DefaultRules {
  /** The bounds that all defaults of a definition share: they may be many. */
  readonly judging: Judging;
  /** Whether defaults may have fields that the schema does not know. Asked only where one has. */
  mayHaveUnknown(): boolean;
}

/** Whether a default of a structural schema has fields that the schema does not know. */
export function hasUnknownInDefaults(schema: SchemaProps): boolean {
  let isFound = false;
  eachDefault(asObject(schema), undefined, new FieldErrors(), (part, head) => {
    isFound ||= head === undefined && hasUnknown(part);
  });
  return isFound;
}

const asObject = (schema: SchemaProps): Structural => ({ ...createStructural(schema), isEmbedded: true });

/** The embedded object whose type or metadata a schema describes, and a function that builds it around a value at that place. */
interface Head {
  readonly object: Structural;
  wrap(value: unknown): Record<string, unknown>;
}

/** Values for the other required fields of such an object. */
const STAND_IN = { kind: 'Validation', apiVersion: 'validation/v1' };

type SeeDefault = (schema: Structural, head: Head | undefined, at: FieldErrors) => void;

/** `head`: set where the schema describes a part of an object's type or metadata. */
function eachDefault(schema: Structural, head: Head | undefined, at: FieldErrors, see: SeeDefault): void {
  const above = schema.isEmbedded ? undefined : head;
  if (schema.fallback !== undefined) see(schema, above, at.child('default'));
  if (schema.items !== undefined) eachDefault(schema.items, above && { ...above, wrap: (value) => above.wrap([value]) }, at.child('items'), see);
  for (const [name, property] of schema.properties) eachDefault(property, headOf(schema, name, above), at.child('properties').key(name), see);
}

function headOf(schema: Structural, name: string, above: Head | undefined): Head | undefined {
  if (above !== undefined) return { ...above, wrap: (value) => above.wrap({ [name]: value }) };
  return schema.isEmbedded && OBJECT_HEAD.has(name) ? { object: schema, wrap: (value) => ({ ...STAND_IN, [name]: value }) } : undefined;
}

/** A default inside type or metadata must result in valid metadata. */
function validateHeadDefault(schema: Structural, { object, wrap }: Head, judging: Judging, at: FieldErrors): void {
  const found = new FieldErrors();
  validateHeads({ ...object, fallback: wrap(schema.fallback) }, found);
  if (found.isEmpty) validateBySchema(schema.props, schema.fallback, at, judging);
  else at.invalid(goUntyped(schema.fallback), `must result in valid metadata: ${inOneMessage(found.texts)}`);
}

/** Validates metadata inside a default; that which cannot be normalized is reported. */
function validateHeads(schema: Structural, at: FieldErrors): void {
  try {
    normalizeEmbedded(schema, cloneJson(schema.fallback), at);
  } catch (error) {
    if (!(error instanceof DecodeFailure)) throw error;
    at.causes.push({ reason: 'FieldValueInvalid', message: error.wireCause, field: error.path });
    return;
  }
  validateEmbedded(schema, schema.fallback, schema.isEmbedded, at);
}

function hasUnknown(schema: Structural): boolean {
  const pruned = prune(schema, schema.fallback);
  return pruned.dropped.length > 0 && !isDeepEqual(pruned.value, schema.fallback);
}

function validateDefault(schema: Structural, { judging, mayHaveUnknown }: DefaultRules, at: FieldErrors): void {
  if (hasUnknown(schema) && !mayHaveUnknown()) at.invalid(goUntyped(schema.fallback), 'must not have unknown fields');
  const before = at.causes.length;
  validateHeads(schema, at);
  if (at.causes.length === before) validateBySchema(schema.props, schema.fallback, at, judging);
}
