import { isFreeOfQuotas } from '#kinds';
import type { AdmissionRequest } from '../../../plugin.ts';
import { definePlugin } from '../../../plugin.ts';
import { chargeOf } from './charge.ts';
import { Desk } from './desk.ts';
import { limitedBy, readConfig } from './limited.ts';
import { Quotas } from './quotas.ts';

/**
 * What is created in a namespace stays within its quotas, however many create at once and on however many servers: an object is stored only
 * after its share stands in the status of every quota that counts it. What objects give back is counted by a controller.
 * @spec 4.11
 */
export const resourceQuota = definePlugin({
  name: 'ResourceQuota',
  enabled: true,
  band: 'quota',
  create(env) {
    const limited = readConfig(env.config('ResourceQuota'));
    const quotas = new Quotas();
    const desk = new Desk(env, quotas);
    return {
      on: ['CREATE', 'UPDATE'],
      validate(request) {
        if (!isCounted(request)) return;
        const known = quotas.in(request.namespace);
        const limits = limitedBy(limited, request, env);
        if (known.length === 0 && limits === undefined) return;
        const charge = chargeOf(request, limits, env);
        return charge === undefined ? undefined : desk.pay(charge);
      },
      start: (signal) => env.objects.follow({ group: '', kind: 'ResourceQuota' }, quotas, signal),
    };
  },
});

/** Of these what they count for can change. */
const GROWING: ReadonlySet<string> = new Set(['/services', '/persistentvolumeclaims']);

function isCounted({ resource: { kind }, subresource, namespace, operation }: AdmissionRequest): boolean {
  if (subresource !== '' || namespace === '' || kind.scope === 'Cluster' || kind.action !== undefined) return false;
  return operation === 'CREATE' ? !isFreeOfQuotas(kind.group, kind.plural) : GROWING.has(`${kind.group}/${kind.plural}`);
}
