import { isJsonObject, jsonText, type JsonObject, memberOf } from '#base';
import { badRequest, withoutReason, type ApiError } from '#errors';
import { decode, DecodeFailure, type MessageType } from '#schema';
import type { FieldSet } from './fieldpath/set.ts';
import { StructureFailure } from './typed/structure-failure.ts';
import { misfitOf } from './typed/misfit.ts';
import { structureOf } from './typed/structure.ts';
import { toSet } from './typed/to-set.ts';

/** What an applier sent, and the paths it speaks about. */
export interface Config {
  readonly config: JsonObject;
  readonly fields: FieldSet;
  /** Why it cannot be read as an object of its type, though it is put together as one: nothing can be made of it. */
  readonly unreadable?: DecodeFailure;
}

/** The version and kind that a request speaks of. */
export interface Asked {
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Checks what an applier sent. Throws ApiError: BadRequest for another version or for `managedFields` in it, 500 as Kubernetes
 * answers for what does not fit the schema.
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
    decode(type, config);
    return undefined;
  } catch (error) {
    if (error instanceof DecodeFailure) return error;
    throw error;
  }
}

/** Values were put together that are none of the version. */
export function unconverted({ apiVersion, kind }: Asked, object: JsonObject, why: string): ApiError {
  const version = `${wholeVersion(apiVersion)}, Kind=${kind}`;
  return withoutReason(`failed to convert new object (${placeOf(object)}; ${version}) to proper version: unable to convert unstructured object to ${version}: ${why}`);
}

/** What stands where, and why nothing can be told of its fields. */
export function untyped(what: 'patch' | 'live', { apiVersion, kind }: Asked, object: JsonObject, why: string): ApiError {
  return withoutReason(`failed to create typed ${what} object (${placeOf(object)}; ${wholeVersion(apiVersion)}, Kind=${kind}): ${why}`);
}

function placeOf({ metadata }: JsonObject): string {
  const [name, namespace] = ['name', 'namespace'].map((member) => (isJsonObject(metadata) ? memberOf(metadata, member) : undefined));
  return `${textOf(namespace)}/${textOf(name)}`;
}

function unknownKind(config: JsonObject, apiVersion: string, kind: string): ApiError {
  return untyped('patch', { apiVersion, kind }, config, `no corresponding type for ${wholeVersion(apiVersion)}, Kind=${kind}`);
}

/** The core group has no name. */
const wholeVersion = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion : `/${apiVersion}`);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
