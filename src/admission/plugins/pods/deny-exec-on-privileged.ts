import { denyExec, privilegeOf } from '../../deny-exec.ts';
import { definePlugin } from '../../plugin.ts';

const NAME = 'DenyExecOnPrivileged';

/**
 * Refuses `exec` and `attach` for pods with a privileged container.
 * @spec 4.11
 */
export const denyExecOnPrivileged = definePlugin({
  name: NAME,
  enabled: false,
  band: 'builtin',
  after: ['DenyEscalatingExec'],
  create: denyExec(NAME, privilegeOf),
});
