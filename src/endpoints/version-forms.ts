import { storageForm, type VersionForm, type VersionForms } from '#apply';
import { objectTypeOf, type ApiObject, type Resource, type ServedVersion } from '#api';
import type { JsonObject } from '#base';
import { decode } from '#schema';
import { AwaitedConversions } from './awaited-conversions.ts';

/** Absent: whatever version is named is of the same form. */
interface Forms {
  readonly forms?: VersionForms;
}

const kept = new WeakMap<Resource, VersionForms>();

/**
 * How owners of fields are counted in each version of a kind. Versions of other groups are none of them, even where the objects are the same:
 * who wrote through one group is unknown to the other. Nothing for a custom resource, whose versions are kinds of their own.
 */
export function formsOf(resource: Resource): Forms {
  if (resource.kind.isCustom === true) return {};
  let forms = kept.get(resource);
  if (forms === undefined) {
    const table = new Map(resource.versions.map((served) => [served.apiVersion, formOf(served, resource.storage)]));
    forms = (apiVersion) => table.get(apiVersion);
    kept.set(resource, forms);
  }
  return { forms };
}

type Convert = ((object: ApiObject) => ApiObject) | undefined;

function formOf(served: ServedVersion, storage: ServedVersion): VersionForm {
  const type = objectTypeOf(served.schema);
  if (served.apiVersion === storage.apiVersion) return storageForm(type);
  return {
    type,
    fromStorage: (object) => convert(object, storage, served.down, served.apiVersion),
    toStorage: (object) => convert(object, served, served.up, storage.apiVersion),
  };
}

/** Conversions want a whole object and change it, so that they get a copy in normal form; where nothing but the name differs the parts are shared. */
function convert(object: JsonObject, from: ServedVersion, change: Convert, apiVersion: string): JsonObject {
  if (change === undefined) return { ...object, apiVersion };
  const converted = change(decode(objectTypeOf(from.schema), object) as unknown as ApiObject);
  converted.apiVersion = apiVersion;
  return converted as unknown as JsonObject;
}

/**
 * What `work` makes of the versions of a resource. `work` changes nothing: where a webhook converts between versions it is done again with each answer
 * that it turned out to need, until it needs no more. Throws what `work` throws, and `ApiError` where an object cannot be converted.
 */
export function inEachVersion<T>(resource: Resource, work: (forms: Forms) => T): T | Promise<T> {
  const { otherVersions } = resource.kind;
  if (otherVersions === undefined) return work(formsOf(resource));
  return new AwaitedConversions(resource.storage, otherVersions).run(work);
}
