import type { HookContext } from '#api';
import type { Guard, Registry } from './registry.ts';
import { verifySignature } from './verify-signature.ts';

/** The context of a write for the hooks of a kind. */
export function hookContext({ brand, clock, allocator, allowsPrivileged }: Registry, { subresource, user, version }: Guard): HookContext {
  return {
    brand,
    subresource,
    nowMs: clock.nowMs(),
    allowsPrivileged,
    verifySignature,
    ...(allocator === undefined ? {} : { serviceFamilies: allocator.families }),
    ...(user === undefined ? {} : { user }),
    ...(version === undefined ? {} : { version }),
  };
}
