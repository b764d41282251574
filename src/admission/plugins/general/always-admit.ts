import { definePlugin } from '../../plugin.ts';

/** Admits every request. Kept for command lines that name it. @spec 4.11 */
export const alwaysAdmit = definePlugin({
  name: 'AlwaysAdmit',
  enabled: false,
  band: 'builtin',
  create: () => ({ on: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] }),
});
