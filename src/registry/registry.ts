import type { Clock } from '#base';
import type { ApiObject, Brand, HookUser, KindName, ObjectKey, Prerequisite, Resource } from '#api';
import type { Allocator } from './allocators/allocator.ts';
import type { DeleteOrder } from './delete-order.ts';
import type { FollowedStore } from './followed-store.ts';

/** The store of one resource with its settings, on which the functions for all verbs work. */
export interface Registry {
  readonly resource: Resource;
  readonly brand: Brand;
  readonly objects: FollowedStore;
  readonly clock: Clock;
  /** The allocator, for kinds whose objects hold addresses or ports. */
  readonly allocator?: Allocator;
  /** The prerequisites of creating any object of the resource. */
  readonly prerequisites: readonly Prerequisite[];
  /** The registry of another kind; undefined: the kind is not served at present. */
  registryOf(kind: KindName): Registry | undefined;
  /** How many deletions of a collection are admitted concurrently. */
  readonly deletionWorkers: number;
  /** How many deletions of a collection are in progress at most. */
  readonly deletionsAtOnce: number;
  /** Whether containers may be privileged. */
  readonly allowsPrivileged: boolean;
  /** The key of an object. Throws an `ApiError` (`NotFound` or `BadRequest`) for a name that cannot exist. */
  keyOf(key: ObjectKey): string;
  /** The key prefix of a collection; an empty namespace means all namespaces. Throws `NotFound` for a namespace that cannot exist. */
  prefixOf(namespace: string): string;
}

/**
 * What accompanies a write. `check` is validating admission: it runs last and gets exactly the object that would be stored, and for a deletion its final
 * options.
 */
export interface Guard {
  readonly dryRun: boolean;
  /** The uid that the live object must have: another object of the same name is a conflict. */
  readonly uid?: string | undefined;
  /** Empty for the main resource. */
  readonly subresource: string;
  /** The user of the request, and the API version of it; absent where the server itself writes. */
  readonly user?: HookUser;
  readonly version?: string;
  readonly warn: (text: string) => void;
  /** Throws where nobody waits for the write any more: then nothing is stored. Absent: somebody does. */
  readonly beforeCommit?: () => void;
  readonly check: (next: ApiObject | undefined, live: ApiObject | undefined, order?: DeleteOrder) => Promise<void> | void;
  /** What the store refuses for its size is stored without `managedFields`. */
  readonly mayForgetOwners?: boolean;
  /** Further prerequisites of creating this object; set by the last `check`. */
  readonly prerequisites?: readonly Prerequisite[];
}

/** The guard of writes of the server itself: without admission and warnings. */
export const OWN_WRITE: Guard = { dryRun: false, subresource: '', warn: () => {}, check: () => {} };
