import type { Registry } from './registry.ts';

/** The time to live of the objects of a kind, as a hint of a write; empty for kinds without one. */
export function lifetimeOf({ resource }: Registry): { readonly ttlSeconds?: number } {
  const { ttlSeconds } = resource.kind;
  return ttlSeconds === undefined ? {} : { ttlSeconds };
}
