import { isJsonObject, type JsonObject, memberOf } from '#base';
import { ApiError, badRequest } from '#errors';
import type { MessageType } from '#schema';
import type { FieldSet } from './fieldpath/set.ts';
import { StructureFailure } from './typed/structure-failure.ts';
import { misfitOf } from './typed/misfit.ts';
import { structureOf } from './typed/structure.ts';
import { toSet } from './typed/to-set.ts';

/** What an applier sent, and the paths it speaks about. */
export interface Config {
  readonly config: JsonObject;
  readonly fields: FieldSet;
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
    const given = typeof version === 'string' ? version : JSON.stringify(version);
    throw badRequest(`Incorrect version specified in apply patch. Specified patch version: ${given}, expected: ${asked.apiVersion}`);
  }
  const metadata = memberOf(config, 'metadata');
  if (isJsonObject(metadata) && Array.isArray(memberOf(metadata, 'managedFields'))) throw badRequest('metadata.managedFields must be nil');
  const kind = memberOf(config, 'kind') ?? '';
  if (kind !== asked.kind) throw unknownKind(config, asked.apiVersion, textOf(kind));
  try {
    const why = misfitOf(type, config);
    if (why !== undefined) throw untyped('patch', asked, config, why);
    return { config, fields: toSet(structureOf(type), config) };
  } catch (error) {
    if (error instanceof StructureFailure) throw untyped('patch', asked, config, error.message);
    throw error;
  }
}

/** What stands where, and why nothing can be told of its fields. */
export function untyped(what: 'patch' | 'live', { apiVersion, kind }: Asked, { metadata }: JsonObject, why: string): ApiError {
  const [name, namespace] = ['name', 'namespace'].map((member) => (isJsonObject(metadata) ? memberOf(metadata, member) : undefined));
  return unfit(`failed to create typed ${what} object (${textOf(namespace)}/${textOf(name)}; ${wholeVersion(apiVersion)}, Kind=${kind}): ${why}`);
}

function unknownKind(config: JsonObject, apiVersion: string, kind: string): ApiError {
  return untyped('patch', { apiVersion, kind }, config, `no corresponding type for ${wholeVersion(apiVersion)}, Kind=${kind}`);
}

/** The core group has no name. */
const wholeVersion = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion : `/${apiVersion}`);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The caller's mistake, whatever the code says: it has no cause that would have to be logged. */
export const unfit = (message: string): ApiError => new ApiError('', message, undefined, { code: 500 });
