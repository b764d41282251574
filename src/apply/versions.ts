import type { JsonObject } from '#base';
import { decodeMerged, type MessageType } from '#schema';
import { misfitOf } from './typed/misfit.ts';

/** Why an object cannot be converted to a version. */
export class VersionFailure extends Error {
  override readonly name = 'VersionFailure';
}

/** Runs `work`. A `VersionFailure` gets `what` in front: what was being done. */
export function doing<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof VersionFailure ? new VersionFailure(`${what}: ${error.message}`) : error;
  }
}

/** Conversion of one version of a kind. Both functions leave the object as it is, and may return it; they throw `VersionFailure` where theirs does not fit the version. */
export interface VersionForm {
  /** The type of the object. */
  readonly type: MessageType;
  /**
   * Whether a write through another version takes from the owners here what it cannot change (see `resetFieldsOf`). As in 1.23, versions of custom
   * resources know their own reset fields alone.
   */
  readonly losesResetFields?: boolean;
  /** Converts from the storage version to this one. */
  fromStorage(object: JsonObject): JsonObject;
  /** Converts from this version to the storage version. */
  toStorage(object: JsonObject): JsonObject;
}

/** The form of an `apiVersion`; undefined where it is not served: owners of fields in it are forgotten. Throws `VersionFailure` where they must not be. */
export type VersionForms = (apiVersion: string) => VersionForm | undefined;

const unchanged = (object: JsonObject): JsonObject => object;

/** The form of a version that differs from the stored one in nothing but its name. */
export const renamedForm = (type: MessageType, apiVersion: string, stored: string): VersionForm => ({
  type,
  losesResetFields: true,
  fromStorage: (object) => fitting(type, { ...object, apiVersion }),
  toStorage: (object) => ({ ...object, apiVersion: stored }),
});

/** Returns the object. Throws `VersionFailure` where it does not fit the type. */
export function fitting(type: MessageType, object: JsonObject): JsonObject {
  const why = misfitOf(type, object);
  if (why === undefined) return object;
  throw new VersionFailure(why);
}

/** The form of the storage version itself. */
export const storageForm = (type: MessageType): VersionForm => ({ type, fromStorage: unchanged, toStorage: unchanged });

/** The forms of versions that do not differ. */
export function oneForm(type: MessageType): VersionForms {
  const form = storageForm(type);
  return () => form;
}

/** An object in a version. Members that were sent empty are still in it. */
export interface VersionedObject {
  readonly apiVersion: string;
  readonly object: JsonObject;
}

/**
 * The object in another version, in normal form: a conversion loses members that are empty. In its own version it is returned as it is.
 * Both versions must be served.
 */
export function inVersion(apiVersion: string, from: VersionedObject, forms: VersionForms): VersionedObject {
  if (apiVersion === from.apiVersion) return from;
  const [own, other] = [forms(from.apiVersion), forms(apiVersion)];
  if (own === undefined || other === undefined) throw new Error(`${from.apiVersion} and ${apiVersion} are not both served`);
  const object = other.fromStorage(own.toStorage(from.object));
  return { apiVersion, object: other.type.open === undefined ? decodeMerged(other.type, object) : object };
}
