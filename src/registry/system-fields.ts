import { randomUUID } from '#base';
import { formatTime } from '#schema';
import type { ApiObject } from '#api';
import type { Guard, Registry } from './registry.ts';

/**
 * Sets the metadata of a new object that only the server sets. The store sets the resourceVersion.
 * @spec 2.2
 */
export function setNewSystemFields(of: Registry, next: ApiObject): void {
  const { metadata } = next;
  dropMembers(metadata, NOT_YET);
  metadata.uid = randomUUID();
  metadata.creationTimestamp = formatTime(of.clock.nowMs());
  if (of.resource.kind.generation !== undefined) metadata.generation = 1;
}

const NOT_YET = ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink', 'clusterName'] as const;
const NO_LONGER = ['clusterName'] as const;
/** What an update takes out only where it stores the object: a dry run answers with it. */
const NOT_STORED = ['selfLink'] as const;

/** Deletes only members that are set: `delete` is slow even for an absent member. */
function dropMembers(metadata: ApiObject['metadata'], names: readonly (typeof NOT_YET)[number][]): void {
  for (const name of names) if (metadata[name] !== undefined) delete metadata[name];
}

/**
 * Carries over metadata that an update may leave out. Creation and deletion time stay, whatever is sent; a different uid or grace period is left for
 * validation to refuse.
 */
export function carrySystemFields(next: ApiObject, live: ApiObject, guard: Pick<Guard, 'dryRun'>): void {
  const to = next.metadata;
  const from = live.metadata;
  dropMembers(to, NO_LONGER);
  if (!guard.dryRun) dropMembers(to, NOT_STORED);
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
