import type { ApiObject, StoredForms } from '#api';
import type { Definition } from './definition.ts';

/**
 * The stored forms of a definition that never changed. Objects that were made and written under it are stored as it declares and returned as they are;
 * `forms` loads all others: those that outlived an earlier definition of this name.
 */
export function formsOfOlder(definition: Definition, apiVersion: string, forms: StoredForms): StoredForms {
  const declaredSince = Number(definition.metadata.resourceVersion);
  const isAsDeclared = writtenSince(declaredSince, definition, apiVersion);
  return { ...forms, declaredSince, load: (objects) => (objects.every(isAsDeclared) ? objects : forms.load(objects)) };
}

/**
 * The revision alone does not tell, because the last state of a removed object has that of its removal; nor does the time, because clocks are turned
 * back. Where they leave a doubt, an object counts as older.
 */
function writtenSince(revision: number, { metadata }: Definition, apiVersion: string): (object: ApiObject) => boolean {
  const second = metadata.creationTimestamp ?? '';
  return (object) =>
    object.apiVersion === apiVersion && Number(object.metadata.resourceVersion) > revision && (object.metadata.creationTimestamp ?? '') > second;
}
