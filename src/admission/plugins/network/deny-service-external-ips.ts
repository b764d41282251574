import type { Service } from '#kinds';
import { definePlugin, refuse } from '../../plugin.ts';

/**
 * Refuses new external IPs of services; existing ones may stay or be removed.
 * @spec 4.11
 */
export const denyServiceExternalIPs = definePlugin({
  name: 'DenyServiceExternalIPs',
  enabled: false,
  band: 'builtin',
  after: ['DefaultIngressClass'],
  create: () => ({
    on: ['CREATE', 'UPDATE'],
    kinds: ['/services'],
    validate(request) {
      const before = new Set((request.live as Service | undefined)?.spec.externalIPs ?? []);
      const hasNew = ((request.object as Service).spec.externalIPs ?? []).some((address) => !before.has(address));
      if (hasNew) throw refuse(request, 'Use of external IPs is denied by admission control');
    },
  }),
});
