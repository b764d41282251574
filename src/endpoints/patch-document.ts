import { canonicalJson, failureText, isJsonObject, memberOf, type JsonObject } from '#base';
import { badRequest, FieldErrors, goJsonType, goPlain, goTypeOf, invalid, isRefusal, type ApiError } from '#errors';
import { DecodeFailure, type MessageType } from '#schema';
import type { ApiObject } from '#api';
import { decodeBody, parseJson, parseYaml, type Expected } from '#codec';
import { jsonPatch, mergePatchObject, strategicMerge } from '#patch';
import type { Mechanism } from './patch-media-types.ts';

/** What changes an object that is there. */
export type ChangeMechanism = Exclude<Mechanism, 'apply'>;

/** How each kind of document changes an object in the version of the request. */
export const CHANGES: Readonly<Record<ChangeMechanism, (type: MessageType, document: object, patch: unknown) => unknown>> = {
  json: (_type, document, patch) => jsonPatch(document, patch),
  merge: (_type, document, patch) => mergePatchObject(document, patch),
  strategic: (type, document, patch) => withHeadOf(document, strategicMerge(type, document, patch), patch),
};

/**
 * What an object is does not come from a strategic merge patch: 1.23 passes over it there, where it is a text at least. Throws `Invalid`.
 * Changes `merged`.
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

/** A patch document and how it is meant. */
export interface PatchSource {
  readonly mechanism: ChangeMechanism;
  readonly patch: unknown;
}

/** The result of a patch as an object in normal form. Throws `Invalid` where it is none. */
export function readPatched(expected: Expected, patched: unknown, from: PatchSource): ApiObject {
  try {
    return decodeBody(expected, isJsonObject(patched) ? { ...patched } : patched, NOTHING);
  } catch (cause) {
    if (!isRefusal(cause, 'BadRequest')) throw cause;
    const at = new FieldErrors();
    MISFITS[from.mechanism](at.child('patch'), from.patch, patched, cause);
    throw invalid({ group: '', kind: '' }, '', at.causes);
  }
}

/** There are no bytes to show in a message. */
const NOTHING = new Uint8Array(0);

type TellMisfit = (at: FieldErrors, patch: unknown, patched: unknown, failure: ApiError) => void;

const blameResult: TellMisfit = (at, _patch, patched, failure) => at.invalid(canonicalJson(patched), misfitOf(failure)?.wireText ?? failure.message);

/** What is said where a patch can be applied, but what comes out is no object of the kind: the patch is to blame, or what it made. */
const MISFITS: Readonly<Record<ChangeMechanism, TellMisfit>> = {
  json: blameResult,
  merge: blameResult,
  strategic: (at, patch, _patched, failure) => at.invalid(goPlain(patch), misfitOf(failure)?.mergedText ?? failure.message),
};

const misfitOf = ({ cause }: ApiError): DecodeFailure | undefined => (cause instanceof DecodeFailure ? cause : undefined);

const OPENING_BRACE = 0x7b;

/** JSON is YAML too, and much faster read as what it is; what is no JSON may still be a YAML flow mapping. */
function readFlow(body: Uint8Array): unknown {
  try {
    return parseJson(body);
  } catch {
    return parseYaml(body);
  }
}

/** What an applier has sent, as YAML or JSON. Throws `BadRequest`. */
export function readConfig(body: Uint8Array): unknown {
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

/** A patch document. Throws `BadRequest` where it is no JSON. */
export function readJson(body: Uint8Array): unknown {
  try {
    return parseJson(body);
  } catch (cause) {
    throw badRequest(`the patch is not JSON: ${failureText(cause)}`, cause);
  }
}
