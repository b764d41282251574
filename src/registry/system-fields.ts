import { formatTime } from '#schema';
import type { ApiObject } from '#api';
import type { Registry } from './registry.ts';

/**
 * Metadata that only the server sets, on a new object.
 * @spec 2.2
 */
export function setNewSystemFields(of: Registry, next: ApiObject): void {
  const { metadata } = next;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  delete metadata.clusterName;
  delete metadata.resourceVersion;
  metadata.uid = crypto.randomUUID();
  metadata.creationTimestamp = formatTime(of.clock.nowMs());
  if (of.resource.kind.generation !== undefined) metadata.generation = 1;
}

/** Metadata that an update may leave out, and what it may not change silently. A value that differs is left for validation to refuse. */
export function carrySystemFields(next: ApiObject, live: ApiObject): void {
  const to = next.metadata;
  const from = live.metadata;
  delete to.clusterName;
  delete to.selfLink;
  to.resourceVersion = from.resourceVersion ?? '';
  if (from.generation === undefined) delete to.generation;
  else to.generation = from.generation;
  if (!to.uid && from.uid !== undefined) to.uid = from.uid;
  if (!to.creationTimestamp && from.creationTimestamp !== undefined) to.creationTimestamp = from.creationTimestamp;
  if (!to.deletionTimestamp && from.deletionTimestamp !== undefined) to.deletionTimestamp = from.deletionTimestamp;
  if (to.deletionGracePeriodSeconds === undefined && from.deletionGracePeriodSeconds !== undefined) {
    to.deletionGracePeriodSeconds = from.deletionGracePeriodSeconds;
  }
}
