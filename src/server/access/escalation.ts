import type { AdmissionHooks } from '#admission';
import type { EscalationCheck } from '#authorization';

const NEVER = new AbortController().signal;

/**
 * The check on who may write which roles and bindings, where admission is: only there both objects are known. It is no plugin, because
 * nobody may turn it off.
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
