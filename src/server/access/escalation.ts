import type { AdmissionHooks } from '#admission';
import type { EscalationCheck } from '#authorization';

const NEVER = new AbortController().signal;

/**
 * The privilege escalation check for roles and bindings, as an admission step: only there are both the stored and the new object known. It is no
 * plugin, because it must not be disabled.
 * @spec 2.15
 */
export function escalationHooks(check: EscalationCheck): AdmissionHooks {
  return {
    on: ['CREATE', 'UPDATE'],
    kinds: ['rbac/roles', 'rbac/clusterroles', 'rbac/rolebindings', 'rbac/clusterrolebindings'],
    async validate({ resource, user, namespace, name, object, live, operation }) {
      if (object === undefined) return;
      await check({ resource, user, namespace, name: operation === 'CREATE' ? '' : name, object, live }, NEVER);
    },
  };
}
