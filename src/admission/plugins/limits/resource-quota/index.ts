import { when } from '#base';
import { isFreeOfQuotas, type ResourceQuota } from '#kinds';
import { NamespacedObjects } from '../../../namespaced-objects.ts';
import { definePlugin, type AdmissionRequest } from '../../../plugin.ts';
import { chargeOf } from './charge.ts';
import { ChargeQueue } from './charge-queue.ts';
import { limitedUse, readLimitedResources } from './limited.ts';

/**
 * Keeps the objects of a namespace within its quotas, however many requests create objects at once, and on however many servers: an object is stored
 * only after its usage was added to the status of every quota that counts it. A controller subtracts the usage of deleted objects.
 * @spec 4.11
 */
export const resourceQuota = definePlugin({
  name: 'ResourceQuota',
  enabled: true,
  band: 'quota',
  create(env) {
    const limited = readLimitedResources(env.config('ResourceQuota'));
    const quotas = new NamespacedObjects<ResourceQuota>({ group: '', kind: 'ResourceQuota' }, env);
    const queue = new ChargeQueue(env, quotas);
    const pay = (request: AdmissionRequest): Promise<void> | void => {
      const limits = limitedUse(limited, request, env);
      if (quotas.in(request.namespace).length === 0 && limits === undefined) return;
      const charge = chargeOf(request, limits, env);
      return charge === undefined ? undefined : queue.pay(charge);
    };
    return {
      on: ['CREATE', 'UPDATE'],
      validate: (request) => (isCounted(request) ? when(quotas.look(request.namespace), () => pay(request)) : undefined),
      start: (signal) => quotas.start(signal),
    };
  },
});

/** Resources whose usage may grow with an update. */
const GROWING: ReadonlySet<string> = new Set(['/services', '/persistentvolumeclaims']);

function isCounted({ resource: { kind }, subresource, namespace, operation }: AdmissionRequest): boolean {
  if (subresource !== '' || namespace === '' || kind.scope === 'Cluster' || kind.action !== undefined) return false;
  return operation === 'CREATE' ? !isFreeOfQuotas(kind.group, kind.plural) : GROWING.has(`${kind.group}/${kind.plural}`);
}
