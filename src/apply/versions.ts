import type { JsonObject } from '#base';
import type { MessageType } from '#schema';

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

/** Versions that do not differ, whatever they are called. */
export const oneForm =
  (type: MessageType): VersionForms =>
  () => ({ type, fromStorage: unchanged, toStorage: unchanged });
