import type { Pod } from '#kinds';
import { definePlugin, refuse } from '../../plugin.ts';

const POD_MEMBERS = { supplementalGroups: 'SupplementalGroups', seLinuxOptions: 'SELinuxOptions', runAsUser: 'RunAsUser', fsGroup: 'FSGroup' } as const;
const CONTAINER_MEMBERS = { seLinuxOptions: 'SELinuxOptions', runAsUser: 'RunAsUser' } as const;

/**
 * Refuses pods that set their user, groups or SELinux options.
 * @spec 4.11
 */
export const securityContextDeny = definePlugin({
  name: 'SecurityContextDeny',
  enabled: false,
  band: 'builtin',
  after: ['NamespaceExists'],
  create: () => ({
    on: ['CREATE', 'UPDATE'],
    kinds: ['/pods'],
    validate(request) {
      const { spec } = request.object as Pod;
      const ofPod = firstSet(spec.securityContext, POD_MEMBERS);
      if (ofPod !== undefined) throw refuse(request, `pod.Spec.SecurityContext.${ofPod} is forbidden`);
      for (const { securityContext } of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
        const ofContainer = firstSet(securityContext, CONTAINER_MEMBERS);
        if (ofContainer !== undefined) throw refuse(request, `SecurityContext.${ofContainer} is forbidden`);
      }
    },
  }),
});

const firstSet = (context: object | undefined, members: Readonly<Record<string, string>>): string | undefined =>
  Object.entries(members).find(([member]) => context !== undefined && Reflect.get(context, member) !== undefined)?.[1];
