import type { ApiObject, ObjectKey } from './object.ts';

/** A kind by the names of its declaration; the group is in neutral form. */
export interface KindName {
  readonly group: string;
  readonly kind: string;
}

/** Another object that something depends on. */
export interface Condition {
  readonly kind: KindName;
  readonly key: ObjectKey;
  /** Throws where what stands there, or that nothing does, is not as it must be. May be asked several times; the object is shared, never to be changed. */
  check(found: ApiObject | undefined): void;
}

/** Keeps something current with the stored objects of a kind. Called in the order of the changes; objects are shared, never to be changed. */
export interface Follower {
  put(object: ApiObject): void;
  /** The object is gone. `last` is how it stood when it went, where that is known. */
  remove(key: ObjectKey, last: ApiObject | undefined): void;
}

/**
 * The stored objects, for gates and extensions, in the storage version and always the newest. Skips authorization and admission, as what
 * the server asks of itself does. Kinds that the server does not serve have no objects.
 */
export interface ObjectAccess {
  /** undefined: nothing stands there. The object is shared: never change it. */
  get(kind: KindName, key: ObjectKey): Promise<ApiObject | undefined>;
  /** What `get` would resolve with, or of `any` what this server has heard of it, which may be old. undefined: it has to be asked for. */
  atHand?(kind: KindName, key: ObjectKey, freshness?: 'latest' | 'any'): { readonly object: ApiObject | undefined } | undefined;
  /** An empty namespace means all. The objects are shared. */
  list(kind: KindName, namespace: string): Promise<readonly ApiObject[]>;
  /**
   * Tells the follower of everything stored and then of every change, until the signal aborts. Resolves when it knows everything; from
   * then on a write through this server is answered only after the follower has seen it.
   */
  follow(kind: KindName, follower: Follower, signal: AbortSignal): Promise<void>;
  /** Throws `AlreadyExists`, `Invalid`. */
  create(kind: KindName, object: ApiObject): Promise<ApiObject>;
  /**
   * One guarded write. `change` gets a copy of its own of the live object, answers with what it is to become, or undefined to leave it as
   * it is, and is asked again after a lost race. With `status` it writes what that subresource writes.
   * undefined: nothing stands there. Throws `Invalid` and whatever `change` throws.
   */
  update(kind: KindName, key: ObjectKey, change: (live: ApiObject) => ApiObject | undefined, part?: 'status'): Promise<ApiObject | undefined>;
}
