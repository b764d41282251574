import type { Pod } from '#kinds';
import { definePlugin, refuse } from '../../plugin.ts';

/**
 * Refuses required pod anti-affinity over any topology larger than a node.
 * @spec 4.11
 */
export const limitPodHardAntiAffinityTopology = definePlugin({
  name: 'LimitPodHardAntiAffinityTopology',
  enabled: false,
  band: 'builtin',
  after: ['SecurityContextDeny'],
  create: ({ brand }) => ({
    on: ['CREATE', 'UPDATE'],
    kinds: ['/pods'],
    validate(request) {
      const { hostnameLabel } = brand.names;
      const terms = (request.object as Pod).spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      const wide = terms.find(({ topologyKey }) => topologyKey !== hostnameLabel);
      if (wide === undefined) return;
      const what = `TopologyKey ${wide.topologyKey ?? ''} but only key ${hostnameLabel} is allowed`;
      throw refuse(request, `affinity.PodAntiAffinity.RequiredDuringScheduling has ${what}`);
    },
  }),
});
