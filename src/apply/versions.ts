import type { JsonObject } from '#base';
import { decode, type MessageType } from '#schema';

/** One version of a kind. Both functions give a new object and do not change theirs. */
export interface VersionForm {
  /** The whole object. */
  readonly type: MessageType;
  /** Storage version → this version. */
  fromStorage(object: JsonObject): JsonObject;
  /** This version → storage version. */
  toStorage(object: JsonObject): JsonObject;
}

/** The form of an `apiVersion`, or undefined when it is not served: what was owned in it is nobody's. */
export type VersionForms = (apiVersion: string) => VersionForm | undefined;

const unchanged = (object: JsonObject): JsonObject => object;

/** The form of the storage version itself. */
export const storageForm = (type: MessageType): VersionForm => ({ type, fromStorage: unchanged, toStorage: unchanged });

/** Versions that do not differ, whatever they are called. */
export const oneForm =
  (type: MessageType): VersionForms =>
  () => storageForm(type);

/** An object in the words of a version, as it stands there: what is said as empty is still there. */
export interface Worded {
  readonly apiVersion: string;
  readonly object: JsonObject;
}

/**
 * The object in the words of another version, in normal form: no conversion keeps what is said as empty. In its own version it is returned as it
 * stands. Both versions are served.
 */
export function inWordsOf(apiVersion: string, told: Worded, forms: VersionForms): Worded {
  if (apiVersion === told.apiVersion) return told;
  const from = forms(told.apiVersion);
  const to = forms(apiVersion);
  if (from === undefined || to === undefined) throw new Error(`${told.apiVersion} and ${apiVersion} are not both served`);
  const object = to.fromStorage(from.toStorage(told.object));
  return { apiVersion, object: to.type.open === undefined ? decode(to.type, object) : object };
}
