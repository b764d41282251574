export { FLAGS, type Flag } from './flags.table.ts';
export { openIdentityFiles, writePrivate, type IdentityFiles } from './identity-files.ts';
export { formatKubeconfig } from './kubeconfig.ts';
export type { Listen, ServerOptions } from './options.ts';
export { startServer, type RunningServer } from './start.ts';
