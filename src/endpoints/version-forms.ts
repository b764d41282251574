import { renamedForm, storageForm, VersionFailure, type VersionForm, type VersionForms } from '#apply';
import { isApiVersion, objectTypeOf, type ApiObject, type OtherVersions, type Resource, type ServedVersion } from '#api';
import type { JsonObject } from '#base';
import { decodeMerged } from '#schema';
import { AwaitedConversions, typeOfVersion } from './awaited-conversions.ts';

const kept = new WeakMap<Resource, VersionForms>();

/**
 * How field management sees each version of a kind. Versions of another group do not count, even where both groups serve the same objects: fields
 * owned through one group are unknown to the other. The versions of a custom resource are declarations of their own, which know each other.
 */
export function formsOf(resource: Resource): VersionForms {
  let forms = kept.get(resource);
  if (forms === undefined) {
    forms = resource.kind.isCustom === true ? renamedForms(resource.storage, resource.kind.otherVersions) : builtInForms(resource);
    kept.set(resource, forms);
  }
  return forms;
}

function builtInForms(resource: Resource): VersionForms {
  const table = new Map(resource.versions.map((served) => [served.apiVersion, formOf(served, resource.storage)]));
  return (apiVersion) => {
    const form = table.get(apiVersion);
    if (form === undefined && !isApiVersion(apiVersion)) throw new VersionFailure(`${JSON.stringify(apiVersion)} is no version: at most one "/" stands between group and version`);
    return form;
  };
}

/** Versions that differ in nothing but the name, seen from one of them. */
function renamedForms({ apiVersion: own, schema }: ServedVersion, others: OtherVersions | undefined): VersionForms {
  return (apiVersion) => {
    if (apiVersion === own) return storageForm(objectTypeOf(schema));
    return renamedForm(typeOfVersion(others, apiVersion), apiVersion, own);
  };
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

/** Conversions need a whole object and change it, so they get a copy in normal form; where only the name differs, the parts are shared. */
function convert(object: JsonObject, from: ServedVersion, change: Convert, apiVersion: string): JsonObject {
  if (change === undefined) return { ...object, apiVersion };
  const converted = change(decodeMerged(objectTypeOf(from.schema), object) as unknown as ApiObject);
  converted.apiVersion = apiVersion;
  return converted as unknown as JsonObject;
}

/**
 * Runs `work` with the version forms of a resource. `work` must have no side effects: where a webhook converts between versions, it is run again with
 * each conversion that it turned out to need. Throws what `work` throws, and `ApiError` where an object cannot be converted.
 */
export function inEachVersion<T>(resource: Resource, work: (forms: VersionForms) => T): T | Promise<T> {
  const { otherVersions } = resource.kind;
  const convert = otherVersions?.convert;
  if (otherVersions === undefined || convert === undefined) return work(formsOf(resource));
  return new AwaitedConversions(resource.storage, { ...otherVersions, convert }).run(work);
}
