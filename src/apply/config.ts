import { isJsonObject, jsonText, type JsonObject, memberOf } from '#base';
import { badRequest, withoutReason, type ApiError } from '#errors';
import { decodeMerged, DecodeFailure, type MessageType } from '#schema';
import type { FieldSet } from './fieldpath/set.ts';
import { StructureFailure } from './typed/structure-failure.ts';
import { misfitOf } from './typed/misfit.ts';
import { structureOf } from './typed/structure.ts';
import { toSet } from './typed/to-set.ts';

/** What an applier sent, and the fields that are in it. */
export interface Config {
  readonly config: JsonObject;
  readonly fields: FieldSet;
  /** Why it does not fit its type, though its structure does: no object can be made of it. */
  readonly unreadable?: DecodeFailure;
}

/** The version and kind of a request. */
export interface Asked {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Checks an applied configuration. Throws ApiError: BadRequest for another version or for `managedFields` in it, and, as kube-apiserver does, 500 for
 * one that does not fit the schema.
 */
export function readConfig(type: MessageType, body: unknown, asked: Asked): Config {
  const config: JsonObject = isJsonObject(body) ? body : {};
  const version = memberOf(config, 'apiVersion') ?? '';
  if (version !== asked.apiVersion) {
    const given = typeof version === 'string' ? version : jsonText(version);
    throw badRequest(`Incorrect version specified in apply patch. Specified patch version: ${given}, expected: ${asked.apiVersion}`);
  }
  const metadata = memberOf(config, 'metadata');
  if (isJsonObject(metadata) && Array.isArray(memberOf(metadata, 'managedFields'))) throw badRequest('metadata.managedFields must be nil');
  const kind = memberOf(config, 'kind') ?? '';
  if (kind !== asked.kind) throw unknownKind(config, asked.apiVersion, textOf(kind));
  try {
    const why = misfitOf(type, config);
    if (why !== undefined) throw untyped('patch', asked, config, why);
    const unreadable = unreadableOf(type, config);
    return { config, fields: toSet(structureOf(type), config), ...(unreadable === undefined ? {} : { unreadable }) };
  } catch (error) {
    if (error instanceof StructureFailure) throw untyped('patch', asked, config, error.message);
    throw error;
  }
}

function unreadableOf(type: MessageType, config: JsonObject): DecodeFailure | undefined {
  try {
    decodeMerged(type, config);
    return undefined;
  } catch (error) {
    if (error instanceof DecodeFailure) return error;
    throw error;
  }
}

/** The failure where the merged object does not fit the version. */
export function unconverted({ apiVersion, kind }: Asked, object: JsonObject, why: string): ApiError {
  const version = `${wholeVersion(apiVersion)}, Kind=${kind}`;
  return withoutReason(`failed to convert new object (${placeOf(object)}; ${version}) to proper version: unable to convert unstructured object to ${version}: ${why}`);
}

/** What does not fit its type, as messages call it: what is sent, the live object, and one whose first owner is to be made. */
const CALLED = {
  patch: (place: string) => `failed to create typed patch object (${place})`,
  live: (place: string) => `failed to create typed live object (${place})`,
  unowned: (place: string) => `failed to create manager for existing fields: failed to convert new object (${place}) to smd typed`,
} as const;

/** The failure where an object does not fit its type. */
export function untyped(what: keyof typeof CALLED, { apiVersion, kind }: Asked, object: JsonObject, why: string): ApiError {
  return withoutReason(`${CALLED[what](`${placeOf(object)}; ${wholeVersion(apiVersion)}, Kind=${kind}`)}: ${why}`);
}

function placeOf({ metadata }: JsonObject): string {
  const [name, namespace] = ['name', 'namespace'].map((member) => (isJsonObject(metadata) ? memberOf(metadata, member) : undefined));
  return `${textOf(namespace)}/${textOf(name)}`;
}

function unknownKind(config: JsonObject, apiVersion: string, kind: string): ApiError {
  return untyped('patch', { apiVersion, kind }, config, `no corresponding type for ${wholeVersion(apiVersion)}, Kind=${kind}`);
}

/** The version as Go prints it: with a slash before that of the core group. */
const wholeVersion = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion : `/${apiVersion}`);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
