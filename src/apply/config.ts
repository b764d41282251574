import { isJsonObject, type JsonObject, memberOf } from '#base';
import { ApiError, badRequest } from '#errors';
import { checkTypes, decode, DecodeFailure, type MessageType } from '#schema';
import type { FieldSet } from './fieldpath/set.ts';
import { StructureFailure } from './typed/structure-failure.ts';
import { structureOf } from './typed/structure.ts';
import { toSet } from './typed/to-set.ts';

/** What an applier sent, and the paths it speaks about. */
export interface Config {
  readonly config: JsonObject;
  readonly fields: FieldSet;
}

/**
 * Checks what an applier sent. Throws ApiError: BadRequest for another version or for `managedFields` in it, 500 as Kubernetes
 * answers for what does not fit the schema.
 */
export function readConfig(type: MessageType, body: unknown, asked: { readonly apiVersion: string; readonly kind: string }): Config {
  const config: JsonObject = isJsonObject(body) ? body : {};
  const version = memberOf(config, 'apiVersion') ?? '';
  if (version !== asked.apiVersion) {
    const given = typeof version === 'string' ? version : JSON.stringify(version);
    throw badRequest(`Incorrect version specified in apply patch. Specified patch version: ${given}, expected: ${asked.apiVersion}`);
  }
  const metadata = memberOf(config, 'metadata');
  if (isJsonObject(metadata) && Array.isArray(memberOf(metadata, 'managedFields'))) throw badRequest('metadata.managedFields must be nil');
  const kind = memberOf(config, 'kind') ?? '';
  if (kind !== asked.kind) throw unfit(`the patch is of kind ${JSON.stringify(kind)}, expected ${JSON.stringify(asked.kind)}`);
  try {
    const [unknown] = decode(type, config).unknownFields;
    if (unknown !== undefined) throw unfit(`failed to create typed patch object: .${unknown}: field not declared in schema`);
    if (type.open !== undefined) checkTypes(type.open.schema, config);
    return { config, fields: toSet(structureOf(type), config) };
  } catch (error) {
    if (error instanceof DecodeFailure || error instanceof StructureFailure) {
      throw unfit(`failed to create typed patch object: ${error.message}`);
    }
    throw error;
  }
}

/** The caller's mistake, whatever the code says: it has no cause that would have to be logged. */
export const unfit = (message: string): ApiError => new ApiError('', message, undefined, { code: 500 });
