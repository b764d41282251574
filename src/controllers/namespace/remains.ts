import type { ApiResource } from '#client';
import type { ApiObject } from '#api';

/** The remaining objects of one resource in a namespace. */
export interface Remains {
  readonly resource: ApiResource;
  readonly count: number;
  /** The number of objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Objects without a finalizer or a remaining grace period. */
  readonly unheld: number;
  /** Until the last remaining grace period ends; 0: there is none. */
  readonly graceMs: number;
  /** From where to watch for their deletion. */
  readonly resourceVersion: string;
}

/** What remains of a resource; undefined: nothing. */
export function remainsOf(resource: ApiResource, items: readonly ApiObject[], resourceVersion: string, nowMs: number): Remains | undefined {
  if (items.length === 0) return undefined;
  const finalizers = new Map<string, number>();
  let unheld = 0;
  let graceMs = 0;
  for (const { metadata } of items) {
    for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    const hasGrace = Number(metadata.deletionGracePeriodSeconds ?? 0) > 0;
    if (hasGrace) graceMs = Math.max(graceMs, Date.parse(metadata.deletionTimestamp ?? '') - nowMs || 0);
    if (!hasGrace && (metadata.finalizers?.length ?? 0) === 0) unheld++;
  }
  return { resource, count: items.length, finalizers, unheld, graceMs, resourceVersion };
}
