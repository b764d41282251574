import { isDeepEqual } from '#base';
import { isExtendedResource, type Pod } from '#kinds';
import { definePlugin } from '../../plugin.ts';

const tolerationOf = (key: string) => ({ key, operator: 'Exists', effect: 'NoSchedule' });

/**
 * Nodes with special hardware may be tainted by the name of its extended resource: adds the toleration to pods that request it.
 * @spec 4.11
 */
export const extendedResourceToleration = definePlugin({
  name: 'ExtendedResourceToleration',
  enabled: false,
  band: 'builtin',
  after: ['EventRateLimit', 'DenyExecOnPrivileged'],
  create: ({ brand }) => ({
    on: ['CREATE', 'UPDATE'],
    kinds: ['/pods'],
    mutate({ object }) {
      const { spec } = object as Pod;
      const names = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].flatMap(({ resources }) => Object.keys(resources.requests ?? {}));
      const wanted = new Set(names.filter((name) => isExtendedResource(name, brand)));
      const said = spec.tolerations ?? [];
      for (const one of said) if (one.key !== undefined && isDeepEqual(one, tolerationOf(one.key))) wanted.delete(one.key);
      if (wanted.size > 0) spec.tolerations = [...said, ...[...wanted].sort().map(tolerationOf)];
    },
  }),
});
