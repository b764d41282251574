import type { ApiResource } from '#client';
import type { ApiObject } from '#api';

/** What is left of one resource in a namespace. */
export interface Remains {
  readonly resource: ApiResource;
  readonly count: number;
  /** How many of these have a finalizer of this name. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Objects that nothing visible holds: neither a finalizer nor time they have left. */
  readonly unheld: number;
  /** Until the last one that is only waiting for its time to pass; 0: none is. */
  readonly graceMs: number;
  /** Where a watch for their departure begins. */
  readonly resourceVersion: string;
}

/** undefined: nothing is left. */
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
