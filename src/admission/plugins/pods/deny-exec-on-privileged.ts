import type { Pod } from '#kinds';
import { definePlugin, refuse } from '../../plugin.ts';

/**
 * Nobody gets into a privileged container. Deprecated: the real server dropped it.
 * @spec 4.11
 */
export const denyExecOnPrivileged = definePlugin({
  name: 'DenyExecOnPrivileged',
  enabled: false,
  band: 'builtin',
  after: ['DenyEscalatingExec'],
  create: ({ objects }) => ({
    on: ['CONNECT'],
    kinds: ['/pods/exec', '/pods/attach'],
    async validate(request) {
      const { namespace, name } = request;
      const pod = (await objects.get({ group: '', kind: 'Pod' }, { namespace, name })) as Pod | undefined;
      request.warn('admission plugin DenyExecOnPrivileged is deprecated');
      const containers = [...(pod?.spec.initContainers ?? []), ...(pod?.spec.containers ?? [])];
      if (containers.some(({ securityContext }) => securityContext?.privileged === true)) {
        throw refuse(request, 'cannot exec into or attach to a privileged container');
      }
    },
  }),
});
