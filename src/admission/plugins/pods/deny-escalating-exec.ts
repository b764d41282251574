import type { Pod } from '#kinds';
import { denyExec, privilegeOf } from '../../deny-exec.ts';
import { definePlugin } from '../../plugin.ts';

const NAME = 'DenyEscalatingExec';

/**
 * Refuses `exec` and `attach` for pods with access to their node.
 * @spec 4.11
 */
export const denyEscalatingExec = definePlugin({
  name: NAME,
  enabled: false,
  band: 'builtin',
  after: ['PodTolerationRestriction'],
  create: denyExec(NAME, reachOf),
});

function reachOf(pod: Pod): string | undefined {
  if (pod.spec.hostPID === true) return 'container using host pid';
  if (pod.spec.hostIPC === true) return 'container using host ipc';
  return privilegeOf(pod);
}
