import { containersOf, type Pod } from '#kinds';
import { refuse, type AdmissionPlugin } from './plugin.ts';

/**
 * Creates a plugin that refuses `exec` and `attach`. `faultOf` describes why the pod's containers are off limits; undefined: they are not. All
 * plugins of this sort are deprecated: kube-apiserver 1.23 has none of them.
 */
export const denyExec =
  (plugin: string, faultOf: (pod: Pod) => string | undefined): AdmissionPlugin['create'] =>
  ({ objects }) => ({
    on: ['CONNECT'],
    kinds: ['/pods/exec', '/pods/attach'],
    async validate(request) {
      const { namespace, name } = request;
      const pod = (await objects.get({ group: '', kind: 'Pod' }, { namespace, name })) as Pod | undefined;
      request.warn(`admission plugin ${plugin} is deprecated`);
      const fault = pod === undefined ? undefined : faultOf(pod);
      if (fault !== undefined) throw refuse(request, `cannot exec into or attach to a ${fault}`);
    },
  });

/** For `denyExec`: describes a pod with a privileged container. Ephemeral containers count, since they reach the node like any other. */
export function privilegeOf({ spec }: Pod): string | undefined {
  return containersOf(spec).some(({ securityContext }) => securityContext?.privileged === true) ? 'privileged container' : undefined;
}
