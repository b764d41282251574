import type { AdmissionHooks } from '#admission';
import type { EscalationCheck } from '#authorization';

/**
 * The privilege escalation check for roles and bindings, as the last step of mutating admission: of the object that plugins have completed, before
 * it is validated. Who may not grant what an object grants is not told what else is wrong with it. It is no plugin, because it must not be disabled.
 * @spec 2.15
 */
export function escalationHooks(check: EscalationCheck): AdmissionHooks {
  return {
    on: ['CREATE', 'UPDATE'],
    kinds: ['rbac/roles', 'rbac/clusterroles', 'rbac/rolebindings', 'rbac/clusterrolebindings'],
    async mutate({ resource, user, namespace, nameInPath, object, live, signal }) {
      if (object === undefined) return;
      await check({ resource, user, namespace, nameInPath, object, live }, signal);
    },
  };
}
