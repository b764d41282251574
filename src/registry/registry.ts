import type { Clock } from '#base';
import type { ApiObject, Brand, Condition, HookUser, KindName, ObjectKey, Resource } from '#api';
import type { Reserve } from './allocators/reserve.ts';
import type { DeleteOrder } from './delete-order.ts';
import type { FollowedStore } from './followed-store.ts';

/** What every verb of one resource works with. */
export interface Registry {
  readonly resource: Resource;
  readonly brand: Brand;
  readonly objects: FollowedStore;
  readonly clock: Clock;
  /** For kinds whose objects hold scarce values. */
  readonly reserve?: Reserve;
  /** What must stand for an object to be made. */
  readonly conditions: readonly Condition[];
  /** Of another kind; undefined: nobody serves it now. */
  registryOf(kind: KindName): Registry | undefined;
  /** How many deletions of a collection are decided about at the same time. */
  readonly deletionWorkers: number;
  /** How many deletions of a collection are under way at most. */
  readonly deletionsAtOnce: number;
  /** Whether containers may ask for all rights on their node. */
  readonly allowsPrivileged: boolean;
  /** Where an object lives in the store. Throws `NotFound` for names that cannot exist. */
  keyOf(key: ObjectKey): string;
  /** Where a collection lives; an empty namespace means all of them. */
  prefixOf(namespace: string): string;
}

/** What accompanies a write. `check` is validating admission: it runs last and sees exactly what would be stored, and of a deletion how it is done. */
export interface Guard {
  readonly dryRun: boolean;
  /** The object meant: another one by the same name is a conflict. */
  readonly uid?: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  /** Who asks, and through which version; absent where the server writes on its own account. */
  readonly user?: HookUser;
  readonly version?: string;
  readonly warn: (text: string) => void;
  readonly check: (next: ApiObject | undefined, live: ApiObject | undefined, order?: DeleteOrder) => Promise<void> | void;
  /** What else must stand for the object to be made, by what the last check said. */
  readonly conditions?: readonly Condition[];
}

/** Of what the server writes on its own account: there is nothing to admit, and nobody to be warned. */
export const OWN_WRITE: Guard = { dryRun: false, subresource: '', warn: () => {}, check: () => {} };
