import { fileURLToPath } from 'node:url';

const packaged = (path: string): string => fileURLToPath(new URL(path, import.meta.resolve('#package.json')));

/** Words of a shell, whatever is in them. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const run = (path: string): string => `exec ${quote(process.execPath)} ${quote(packaged(path))}`;

/**
 * Each API server has its data in memory, and its keys where envtest puts its certificates: nothing is left behind. What it is told of etcd says
 * nothing to it. Tests for envtest are alone with the API server: no controller finalizes their namespaces, collects objects whose owners they
 * made up, or adds service accounts to those they count; a flag of theirs has the last word.
 */
const API_SERVER = `#!/bin/sh
# Made by "orch envtest".
for word do
  shift
  case $word in
    --etcd-*) ;;
    --cert-dir=*) set -- "$@" "$word" "--data-dir=\${word#*=}/orch" ;;
    *) set -- "$@" "$word" ;;
  esac
done
${run('dist/bin/orch.js')} serve --dialect=kubernetes --store=memory:// --controllers=none "$@"
`;

const ETCD = `#!/bin/sh
# Made by "orch envtest".
${run('dist/cli/envtest/stand-in-etcd.js')} "$@"
`;

/** What envtest starts, by the name under which it looks for it. */
export const ENVTEST_PROGRAMS: Readonly<Record<string, string>> = { 'kube-apiserver': API_SERVER, etcd: ETCD };
