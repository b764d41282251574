import type { ApiObject, StoredForms } from '#api';
import { cloneJson, isDeepEqual } from '#base';
import { withoutReason } from '#errors';
import { dropNulls, prune, type Structural } from '#schema';
import { completeObject } from './complete-object.ts';

/** The schemas of a definition by `apiVersion`. */
export type Schemas = ReadonlyMap<string, () => Structural>;

/**
 * Objects whose versions differ in nothing but the name. What was stored under an earlier schema loses what the present one does not know,
 * and gets the defaults it has. @spec 4.1
 */
export function renamingForms(schemas: Schemas, apiVersion: string, storedVersion: string): StoredForms {
  return {
    load: (objects) => objects.map((object) => restore(schemas, object, apiVersion)),
    save: (object) => (apiVersion === storedVersion ? object : fit(schemas.get(storedVersion), { ...object, apiVersion: storedVersion })),
  };
}

/** Nobody knows what is stored in a version that is declared no more. Throws `ApiError`. */
export function refuseForgotten(schemas: Schemas, { apiVersion }: ApiObject): void {
  if (!schemas.has(apiVersion)) throw withoutReason(`request to convert CR from an invalid group/version: ${apiVersion}`);
}

/** A stored object in the form of a version; the same object where it has that form. */
function restore(schemas: Schemas, object: ApiObject, apiVersion: string): ApiObject {
  refuseForgotten(schemas, object);
  const completed = complete(schemas.get(object.apiVersion), object);
  const next = object.apiVersion === apiVersion ? completed : fit(schemas.get(apiVersion), { ...completed, apiVersion });
  return next === object || isDeepEqual(next, object) ? object : next;
}

/** What its own schema makes of an object today. */
export function complete(schema: (() => Structural) | undefined, object: ApiObject): ApiObject {
  if (schema === undefined) return object;
  const next = cloneJson(fit(schema, object));
  completeObject(schema(), next);
  return next;
}

/** An object without what a schema does not know. */
export function fit(schema: (() => Structural) | undefined, object: ApiObject): ApiObject {
  if (schema === undefined) return object;
  const next = prune(schema(), object, { hasHead: true }).value as ApiObject;
  dropNulls(schema(), next);
  return next;
}
