import { formatTime } from '#schema';
import type { ApiObject } from '#api';
import type { Registry } from './registry.ts';

/**
 * Metadata that only the server sets, on a new object. The version is the store's to set.
 * @spec 2.2
 */
export function setNewSystemFields(of: Registry, next: ApiObject): void {
  const { metadata } = next;
  dropMembers(metadata, NOT_YET);
  metadata.uid = crypto.randomUUID();
  metadata.creationTimestamp = formatTime(of.clock.nowMs());
  if (of.resource.kind.generation !== undefined) metadata.generation = 1;
}

const NOT_YET = ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink', 'clusterName'] as const;
const NO_LONGER = ['clusterName', 'selfLink'] as const;

/** Deleting is slow even where there is nothing to delete. */
function dropMembers(metadata: ApiObject['metadata'], names: readonly (typeof NOT_YET)[number][]): void {
  for (const name of names) if (metadata[name] !== undefined) delete metadata[name];
}

/**
 * Metadata that an update may leave out. The times of an object stay what they are, whatever is sent; another uid or grace period is left
 * for validation to refuse.
 */
export function carrySystemFields(next: ApiObject, live: ApiObject): void {
  const to = next.metadata;
  const from = live.metadata;
  dropMembers(to, NO_LONGER);
  to.resourceVersion = from.resourceVersion ?? '';
  if (from.generation === undefined) delete to.generation;
  else to.generation = from.generation;
  if (!to.uid && from.uid !== undefined) to.uid = from.uid;
  if (from.creationTimestamp) to.creationTimestamp = from.creationTimestamp;
  if (from.deletionTimestamp) to.deletionTimestamp = from.deletionTimestamp;
  if (to.deletionGracePeriodSeconds === undefined && from.deletionGracePeriodSeconds !== undefined) {
    to.deletionGracePeriodSeconds = from.deletionGracePeriodSeconds;
  }
}
