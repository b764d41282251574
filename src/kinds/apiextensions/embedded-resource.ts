import { isJsonObject } from '#base';
import { checkDns1035Label, isApiVersion, ObjectMeta, validateObjectMeta } from '#api';
import { FieldErrors, goUntyped } from '#errors';
import { additionalOf, decode, DecodeFailure, describe, type Structural } from '#schema';

/**
 * Validates type and metadata of the embedded API objects in a value. `isItself`: the value is one itself. Their metadata must be normalized.
 */
export function validateEmbedded(schema: Structural, value: unknown, isItself: boolean, at: FieldErrors): void {
  visitEmbedded(schema, value, isItself, at, (head, place) => validateHead(head, place));
}

type See = (object: Record<string, unknown>, at: FieldErrors) => void;

/** Calls `see` with every embedded API object, the value itself included where it is one. */
function visitEmbedded(schema: Structural, value: unknown, isItself: boolean, at: FieldErrors, see: See): void {
  if (Array.isArray(value)) {
    if (schema.items === undefined) return;
    for (const [position, item] of value.entries()) visitEmbedded(schema.items, item, schema.items.isEmbedded, at.index(position), see);
  } else if (isJsonObject(value)) {
    if (isItself) see(value, at);
    for (const name of Object.keys(value)) {
      const property = schema.properties.get(name);
      const part = property ?? additionalOf(schema);
      if (part !== undefined) visitEmbedded(part, value[name], part.isEmbedded, property === undefined ? at.key(name) : at.child(name), see);
    }
  }
}

function validateHead(object: Record<string, unknown>, at: FieldErrors): void {
  validateWord(object['apiVersion'], at.child('apiVersion'), (text) => (isApiVersion(text) ? undefined : `unexpected GroupVersion string: ${text}`));
  validateWord(object['kind'], at.child('kind'), (text) => {
    const faults = checkDns1035Label(text.toLowerCase());
    return faults && `may have mixed case, but should otherwise match: ${faults.join()}`;
  });
  const { metadata } = object;
  if (!isJsonObject(metadata)) return;
  const meta = metadata as ObjectMeta;
  const scope = meta.namespace ? 'Namespaced' : 'Cluster';
  validateObjectMeta({ ...meta, name: meta.name || 'any' }, { scope, nameForm: 'path-segment', takesAnyFinalizer: true }, at.child('metadata'));
}

function validateWord(value: unknown, at: FieldErrors, faultOf: (text: string) => string | undefined): void {
  if (value === undefined) at.required('must not be empty');
  else if (typeof value !== 'string') at.invalid(value, 'must be a string');
  else if (value === '') at.invalid(value, 'must not be empty');
  else {
    const fault = faultOf(value);
    if (fault !== undefined) at.invalid(value, fault);
  }
}

/** Normalizes the metadata of embedded API objects in place. Throws `DecodeFailure` where it is malformed. */
export function normalizeEmbedded(schema: Structural, value: unknown, at: FieldErrors = new FieldErrors()): void {
  changeEmbedded(schema, value, at, normalizeHead);
}

/**
 * The same for what was stored, maybe before it was declared an API object: what is malformed is left out, so that the object around it can still be
 * changed. Metadata that is no object stays.
 */
export function repairEmbedded(schema: Structural, value: unknown): void {
  changeEmbedded(schema, value, new FieldErrors(), repairHead);
}

function changeEmbedded(schema: Structural, value: unknown, at: FieldErrors, change: See): void {
  if (Array.isArray(value)) {
    if (schema.items !== undefined) for (const [position, item] of value.entries()) changeEmbedded(schema.items, item, at.index(position), change);
  } else if (isJsonObject(value)) {
    if (schema.isEmbedded) change(value, at);
    for (const name of Object.keys(value)) {
      const property = schema.properties.get(name);
      const part = property ?? additionalOf(schema);
      if (part !== undefined) changeEmbedded(part, value[name], property === undefined ? at.key(name) : at.child(name), change);
    }
  }
}

function repairHead(object: Record<string, unknown>, at: FieldErrors): void {
  for (const name of ['apiVersion', 'kind']) if (typeof object[name] !== 'string') delete object[name];
  const { metadata } = object;
  // What is no object has no members to keep: kube-apiserver shows it as it is.
  if (metadata !== null && !isJsonObject(metadata)) return;
  object['metadata'] = repairMetadata(metadata ?? {});
  normalizeHead(object, at);
}

/** Stored metadata without the members that are unknown or malformed. */
export function repairMetadata(metadata: object): Record<string, unknown> {
  return readMetadata(metadata) ?? decode(ObjectMeta.type, Object.fromEntries(Object.entries(metadata).filter(([name, value]) => readMetadata({ [name]: value }) !== undefined)));
}

/** undefined: it is malformed. */
function readMetadata(metadata: object): Record<string, unknown> | undefined {
  try {
    return decode(ObjectMeta.type, metadata);
  } catch (error) {
    if (error instanceof DecodeFailure) return undefined;
    throw error;
  }
}

function normalizeHead(object: Record<string, unknown>, at: FieldErrors): void {
  for (const name of ['apiVersion', 'kind']) {
    const word = object[name];
    if (Object.hasOwn(object, name) && typeof word !== 'string') throw malformed(at.child(name), word, 'a string', 'must be a string');
  }
  const { metadata } = object;
  if (metadata === undefined) return;
  try {
    const { creationTimestamp, ...decoded } = decode(ObjectMeta.type, metadata ?? {});
    // An object that was never created keeps a creationTimestamp of null.
    object['metadata'] = creationTimestamp === null ? decoded : { ...decoded, creationTimestamp };
  } catch (error) {
    if (!(error instanceof DecodeFailure)) throw error;
    throw malformed(at.child('metadata'), metadata, error.expected, error.wireText);
  }
}

/** A decode failure with the path of the value. */
function malformed(at: FieldErrors, value: unknown, expected: string, why: string): DecodeFailure {
  const told = new FieldErrors(at.path);
  told.invalid(goUntyped(value), why);
  return new DecodeFailure(at.path, expected, describe(value), `${at.path}: ${told.causes[0]?.message ?? why}`);
}
