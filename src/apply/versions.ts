import type { JsonObject } from '#base';
import { decode, type MessageType } from '#schema';
import { misfitOf } from './typed/misfit.ts';

/** An object that cannot be told in the words of a version, and why. */
export class VersionFailure extends Error {
  override readonly name = 'VersionFailure';
}

/** What `work` gives. A `VersionFailure` says what was being done. */
export function doing<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof VersionFailure ? new VersionFailure(`${what}: ${error.message}`) : error;
  }
}

/** One version of a kind. Both functions give a new object and do not change theirs; they throw `VersionFailure` where it is none of the version. */
export interface VersionForm {
  /** The whole object. */
  readonly type: MessageType;
  /** Storage version → this version. */
  fromStorage(object: JsonObject): JsonObject;
  /** This version → storage version. */
  toStorage(object: JsonObject): JsonObject;
}

/** The form of an `apiVersion`, or undefined when it is not served: what was owned in it is nobody's. Throws `VersionFailure` where that may not be. */
export type VersionForms = (apiVersion: string) => VersionForm | undefined;

const unchanged = (object: JsonObject): JsonObject => object;

/** The form of a version of which nothing but the name is another. */
export const renamedForm = (type: MessageType, apiVersion: string, stored: string): VersionForm => ({
  type,
  fromStorage: (object) => fitting(type, { ...object, apiVersion }),
  toStorage: (object) => ({ ...object, apiVersion: stored }),
});

/** The object itself. Throws `VersionFailure` where it is none of the type. */
export function fitting(type: MessageType, object: JsonObject): JsonObject {
  const why = misfitOf(type, object);
  if (why === undefined) return object;
  throw new VersionFailure(why);
}

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
