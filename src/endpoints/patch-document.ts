import { canonicalJson, failureText, isJsonObject, memberOf, parseJson, parseWholeFloats, type JsonObject } from '#base';
import { badRequest, FieldErrors, goJsonType, goPlain, goTypeOf, invalid, isRefusal, type ApiError } from '#errors';
import { DecodeFailure, refuseFloats, type MessageType } from '#schema';
import type { ApiObject } from '#api';
import { decodeParsed, parseYaml, type Expected } from '#codec';
import { jsonPatch, mergePatchObject, parsePointer, strategicMerge } from '#patch';
import type { ChangeMechanism } from './patch-media-types.ts';

/** How each mechanism changes an object in the version of the request. */
export const CHANGES: Readonly<Record<ChangeMechanism, (type: MessageType, document: object, patch: unknown) => unknown>> = {
  json: (_type, document, patch) => jsonPatch(document, patch),
  merge: (_type, document, patch) => mergePatchObject(document, patch),
  strategic: (type, document, patch) => withHeadOf(document, strategicMerge(type, document, patch), patch),
};

/**
 * A strategic merge patch cannot change `apiVersion` and `kind`: like 1.23, it ignores them there where they are strings, and is refused otherwise.
 * Throws `Invalid`. Changes `merged`.
 */
function withHeadOf(document: object, merged: JsonObject, patch: unknown): JsonObject {
  for (const name of ['apiVersion', 'kind']) {
    const said = memberOf(merged, name);
    if (said !== undefined && typeof said !== 'string') throw noText(patch, said);
    if (Object.hasOwn(document, name)) merged[name] = Reflect.get(document, name);
  }
  return merged;
}

function noText(patch: unknown, value: unknown): ApiError {
  const at = new FieldErrors();
  const from = goTypeOf(value);
  at.child('patch').invalid(goPlain(patch), from === 'int64' ? 'cannot convert int64 to string' : 'unrecognized type: string');
  return invalid({ group: '', kind: '' }, '', at.causes);
}

/** A patch document and its mechanism. */
export interface PatchSource {
  readonly mechanism: ChangeMechanism;
  readonly patch: unknown;
  /** The document as `parseWholeFloats` reads it. */
  readonly marked: unknown;
}

/** The result of a patch, decoded as an object in normal form. `expected` says that it is one. Throws `Invalid` where it is not an object of the kind. */
export function readPatched(expected: Expected, patched: unknown, from: PatchSource): ApiObject {
  try {
    const object = decodeParsed(expected, isJsonObject(patched) ? { ...patched } : patched, NOTHING);
    if (from.marked !== undefined && expected.type.open === undefined) refuseFloatsOf(from, expected.type);
    return object;
  } catch (cause) {
    if (!(cause instanceof DecodeFailure) && !isRefusal(cause, 'BadRequest')) throw cause;
    const at = new FieldErrors();
    MISFITS[from.mechanism](at.child('patch'), from.patch, patched, cause instanceof DecodeFailure ? badRequest(cause.wireText) : cause);
    throw invalid({ group: '', kind: '' }, '', at.causes);
  }
}

/** Throws `DecodeFailure` where the patch writes an integer with a fraction. The values of a strategic merge patch are converted, and may be so written. */
function refuseFloatsOf({ mechanism, marked }: PatchSource, type: MessageType): void {
  if (mechanism === 'merge') refuseFloats(type, marked);
  if (mechanism !== 'json' || !Array.isArray(marked)) return;
  for (const { op, path, value } of marked.filter(isJsonObject)) {
    if (typeof path === 'string' && op !== 'test') refuseFloats(type, value, parsePointer(path));
  }
}

/** The result of a patch has no bytes that a message could quote. */
const NOTHING = new Uint8Array(0);

type TellMisfit = (at: FieldErrors, patch: unknown, patched: unknown, failure: ApiError) => void;

const blameResult: TellMisfit = (at, _patch, patched, failure) => at.invalid(canonicalJson(patched), failure.message);

/**
 * The error where a patch can be applied, but its result is not an object of the kind: the message quotes the result or, for a strategic merge patch,
 * the patch.
 */
const MISFITS: Readonly<Record<ChangeMechanism, TellMisfit>> = {
  json: blameResult,
  merge: blameResult,
  strategic: (at, patch, _patched, { cause, message }) => at.invalid(goPlain(patch), cause instanceof DecodeFailure ? cause.mergedText : message),
};

const OPENING_BRACE = 0x7b;

/** JSON is YAML too, and its own parser is much faster; a body that is not JSON may still be a YAML flow mapping. */
function readFlow(body: Uint8Array): unknown {
  try {
    return parseJson(body);
  } catch {
    return parseYaml(body);
  }
}

/** Parses the body of an apply, YAML or JSON. Throws `BadRequest`. */
export function parseConfig(body: Uint8Array): unknown {
  const config = readYaml(body);
  if (config === null || config === undefined || isJsonObject(config)) return config;
  throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goJsonType(config)} into Go value of type map[string]interface {}`);
}

function readYaml(body: Uint8Array): unknown {
  try {
    return body[0] === OPENING_BRACE ? readFlow(body) : parseYaml(body);
  } catch (cause) {
    throw badRequest(`error decoding YAML: ${failureText(cause)}`, cause);
  }
}

/** Parses a patch document. Throws `BadRequest` where it is not JSON. */
export function parsePatch(mechanism: ChangeMechanism, body: Uint8Array): PatchSource {
  try {
    return { mechanism, patch: parseJson(body), marked: parseWholeFloats(body) };
  } catch (cause) {
    throw badRequest(`the patch is not JSON: ${failureText(cause)}`, cause);
  }
}
