import type { ApiObject, ObjectKey } from './object.ts';

/** A kind by the names of its declaration; the group is in neutral form. */
export interface KindName {
  readonly group: string;
  readonly kind: string;
}

/** Another object that must exist, in a certain state, for an object to be created. */
export interface Prerequisite {
  readonly kind: KindName;
  readonly key: ObjectKey;
  /**
   * Throws unless `found` is in the required state; undefined: it does not exist. May be called several times; the object is shared and must not be
   * changed.
   */
  check(found: ApiObject | undefined): void;
}

/** Follows the stored objects of a kind. Called in the order of changes; objects are shared and must not be changed. */
export interface Follower {
  put(object: ApiObject): void;
  /** An object was deleted. `last`: its last state, where that is known. */
  remove(key: ObjectKey, last: ApiObject | undefined): void;
}

/**
 * Access to stored objects for admission, authorization and extensions: in the storage version, always the most recent revision, and without
 * authorization or admission of its own. Kinds that are not served have no objects.
 */
export interface ObjectAccess {
  /** Gets an object; undefined: it does not exist. The object is shared: never change it. */
  get(kind: KindName, key: ObjectKey): Promise<ApiObject | undefined>;
  /**
   * Synchronously what `get` would resolve with, or with `any` a cached revision, which may be stale. undefined: only the store knows, call `get`.
   */
  atHand?(kind: KindName, key: ObjectKey, freshness?: 'latest' | 'any'): { readonly object: ApiObject | undefined } | undefined;
  /** Lists objects; an empty namespace means all. The objects are shared. */
  list(kind: KindName, namespace: string): Promise<readonly ApiObject[]>;
  /**
   * Calls the follower for every stored object and then for every change, until the signal aborts. Resolves when the follower has seen all stored
   * objects; from then on a write through this server is answered only after the follower has seen it.
   */
  follow(kind: KindName, follower: Follower, signal: AbortSignal): Promise<void>;
  /** Throws `AlreadyExists`, `Invalid`. */
  create(kind: KindName, object: ApiObject): Promise<ApiObject>;
  /**
   * One compare-and-swap write. `change` gets its own copy of the live object and returns the new one, or undefined to leave it as it is; it is
   * called again after a lost race. With `status` it writes through the status subresource. undefined: the object does not exist. Throws `Invalid`
   * and whatever `change` throws.
   */
  update(kind: KindName, key: ObjectKey, change: (live: ApiObject) => ApiObject | undefined, part?: 'status'): Promise<ApiObject | undefined>;
}
