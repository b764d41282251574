import type { ObjectAccess } from '#api';
import { POLICY_KINDS, type Policy } from '#authorization';

/** Keeps the policy current with the stored roles and bindings. Until it resolves, the policy must not be used. @spec 2.15 */
export async function followPolicy(access: ObjectAccess, policy: Policy, signal: AbortSignal): Promise<void> {
  await Promise.all(
    POLICY_KINDS.map((kind) => {
      const follower = { put: policy.put.bind(policy, kind), remove: policy.remove.bind(policy, kind) };
      return access.follow({ group: 'rbac', kind }, follower, signal);
    }),
  );
}
