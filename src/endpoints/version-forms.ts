import type { VersionForm, VersionForms } from '#apply';
import { objectTypeOf, type ApiObject, type Resource, type ServedVersion } from '#api';
import type { JsonObject } from '#base';
import { decode } from '#schema';

const kept = new WeakMap<Resource, VersionForms>();

/** How owners of fields are counted in each version of a kind; nothing for a kind that has one version only. */
export function formsOf(resource: Resource): { readonly forms?: VersionForms } {
  if (resource.versions.length < 2 && resource.kind.storedAs === undefined) return {};
  let forms = kept.get(resource);
  if (forms === undefined) {
    const table = new Map([resource.storage, ...resource.versions].map((served) => [served.apiVersion, formOf(served, resource.storage)]));
    forms = (apiVersion) => table.get(apiVersion);
    kept.set(resource, forms);
  }
  return { forms };
}

type Convert = ((object: ApiObject) => ApiObject) | undefined;

function formOf(served: ServedVersion, storage: ServedVersion): VersionForm {
  return {
    type: objectTypeOf(served.schema),
    fromStorage: (object) => convert(object, storage, served.down, served.apiVersion),
    toStorage: (object) => convert(object, served, served.up, storage.apiVersion),
  };
}

/** Conversions want a whole object and change it, so that they get a copy in normal form; where nothing but the name differs the parts are shared. */
function convert(object: JsonObject, from: ServedVersion, change: Convert, apiVersion: string): JsonObject {
  if (change === undefined) return { ...object, apiVersion };
  const converted = change(decode(objectTypeOf(from.schema), object).value as unknown as ApiObject);
  converted.apiVersion = apiVersion;
  return converted as unknown as JsonObject;
}
