import type { ApiObject, StoredForms } from '#api';
import { cloneJson, isDeepEqual } from '#base';
import { withoutReason } from '#errors';
import { repairEmbedded } from '#kinds';
import { dropNulls, prune, type Structural } from '#schema';
import { completeObject } from './complete-object.ts';

/** The schemas of a definition by `apiVersion`. */
export type Schemas = ReadonlyMap<string, () => Structural>;

/**
 * Stored forms of versions that differ only in name. Objects stored under an earlier schema are pruned by the present one, and get its defaults.
 * @spec 4.1
 */
export function renamingForms(schemas: Schemas, apiVersion: string, storedVersion: string): StoredForms {
  return {
    load: (objects) => objects.map((object) => restore(schemas, object, apiVersion)),
    save: (object) => (apiVersion === storedVersion ? object : fit(schemas.get(storedVersion), { ...object, apiVersion: storedVersion })),
  };
}

/** Throws `ApiError` for an object stored in a version that is no longer declared: its schema is unknown. */
export function refuseForgotten(schemas: Schemas, { apiVersion }: ApiObject): void {
  if (!schemas.has(apiVersion)) throw withoutReason(`request to convert CR from an invalid group/version: ${apiVersion}`);
}

/** A stored object in the form of a version; the same object where it already has it. */
function restore(schemas: Schemas, object: ApiObject, apiVersion: string): ApiObject {
  refuseForgotten(schemas, object);
  const completed = complete(schemas.get(object.apiVersion), object);
  const next = object.apiVersion === apiVersion ? completed : fit(schemas.get(apiVersion), { ...completed, apiVersion });
  return next === object || isDeepEqual(next, object) ? object : next;
}

/** Prunes an object, repairs those inside, and applies defaults by its own schema. */
export function complete(schema: (() => Structural) | undefined, object: ApiObject): ApiObject {
  if (schema === undefined) return object;
  const next = cloneJson(fit(schema, object));
  repairEmbedded(schema(), next);
  completeObject(schema(), next);
  return next;
}

/** Prunes an object. */
export function fit(schema: (() => Structural) | undefined, object: ApiObject): ApiObject {
  if (schema === undefined) return object;
  const next = prune(schema(), object, { hasHead: true }).value as ApiObject;
  dropNulls(schema(), next);
  return next;
}
