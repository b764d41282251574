import type { Pod } from '#kinds';
import { definePlugin, refuse } from '../../plugin.ts';

/**
 * Nobody gets into a container from which the node is within reach. Deprecated: the real server dropped it.
 * @spec 4.11
 */
export const denyEscalatingExec = definePlugin({
  name: 'DenyEscalatingExec',
  enabled: false,
  band: 'builtin',
  after: ['PodTolerationRestriction'],
  create: ({ objects }) => ({
    on: ['CONNECT'],
    kinds: ['/pods/exec', '/pods/attach'],
    async validate(request) {
      const { namespace, name } = request;
      const pod = (await objects.get({ group: '', kind: 'Pod' }, { namespace, name })) as Pod | undefined;
      request.warn('admission plugin DenyEscalatingExec is deprecated');
      const why = pod === undefined ? undefined : reachOf(pod);
      if (why !== undefined) throw refuse(request, `cannot exec into or attach to a ${why}`);
    },
  }),
});

function reachOf({ spec }: Pod): string | undefined {
  if (spec.hostPID === true) return 'container using host pid';
  if (spec.hostIPC === true) return 'container using host ipc';
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  return containers.some(({ securityContext }) => securityContext?.privileged === true) ? 'privileged container' : undefined;
}
