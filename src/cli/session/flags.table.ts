import type { CommandFlag } from '../flag.ts';

/** Flags of every client command. */
export const SESSION_FLAGS = [
  { name: 'kubeconfig', type: 'string', value: 'file', help: 'How to reach the server. Default: $KUBECONFIG, else ./orch-data/kubeconfig if it exists.' },
] as const satisfies readonly CommandFlag[];

/** Flag of commands for namespaced objects. */
export const NAMESPACE_FLAG: CommandFlag = {
  name: 'namespace',
  short: 'n',
  type: 'string',
  value: 'name',
  help: 'Namespace to work in. Default: that of the kubeconfig, else default.',
};

export const SELECTOR_FLAG: CommandFlag = {
  name: 'selector',
  short: 'l',
  type: 'string',
  value: 'labels',
  help: 'Only objects with these labels, such as app=web,tier!=db.',
};

/** Flag of commands that read objects from files. */
export const FILE_FLAG: CommandFlag = {
  name: 'filename',
  short: 'f',
  type: 'string',
  isList: true,
  value: 'file',
  help: 'YAML or JSON file, or folder of such files; - is the standard input. May be repeated.',
};

export const DRY_RUN_FLAG: CommandFlag = { name: 'dry-run', type: 'boolean', default: false, help: 'Let the server check everything and store nothing.' };
