import type { Pod } from '#kinds';
import { refuse, type AdmissionPlugin } from './plugin.ts';

/**
 * Keeps users out of containers. `faultOf` says what kind of container it would be to get into; undefined: one that anybody may get into.
 * Plugins that do so are deprecated, all of them: kube-apiserver 1.23 has none of them.
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

/** For `denyExec`. */
export function privilegeOf({ spec }: Pod): string | undefined {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  return containers.some(({ securityContext }) => securityContext?.privileged === true) ? 'privileged container' : undefined;
}
