import type { Registry } from './registry.ts';

/** How long what is written stays, where the kind sets an end to it. */
export function lifetimeOf({ resource }: Registry): { readonly ttlSeconds?: number } {
  const { ttlSeconds } = resource.kind;
  return ttlSeconds === undefined ? {} : { ttlSeconds };
}
