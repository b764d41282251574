import { fileURLToPath } from 'node:url';

const packaged = (path: string): string => fileURLToPath(new URL(path, import.meta.resolve('#package.json')));

/** Quotes a text as one word for the shell. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const run = (path: string): string => `exec ${quote(process.execPath)} ${quote(packaged(path))}`;

/** What each of the programs begins with, and no other program: these may be replaced. */
export const MADE_BY = '#!/bin/sh\n# Made by "orch envtest".\n';

/**
 * The script that envtest starts as kube-apiserver. It keeps data in memory, and keys in the folder where envtest puts certificates: nothing is left
 * behind. Flags about etcd have no effect. A flag and its value are one word or two, as every caller likes. Tests written for envtest expect an API server without controllers: none finalizes namespaces, garbage
 * collects objects with invented owners, or creates service accounts; a flag that the test passes overrides that.
 */
const API_SERVER = `${MADE_BY}flag=
for word do
  shift
  word=$flag$word flag=
  case $word in
    *=*) ;;
    --etcd-* | --cert-dir) flag=$word=; continue ;;
  esac
  case $word in
    --etcd-*) ;;
    --cert-dir=*) set -- "$@" "$word" "--data-dir=\${word#*=}/orch" ;;
    *) set -- "$@" "$word" ;;
  esac
done
${run('dist/bin/orch.js')} serve --dialect=kubernetes --store=memory:// --controllers=none "$@"
`;

const ETCD = `${MADE_BY}${run('dist/cli/envtest/stand-in-etcd.js')} "$@"
`;

/** The programs that envtest starts, by the file name under which it looks for them. */
export const ENVTEST_PROGRAMS: Readonly<Record<string, string>> = { 'kube-apiserver': API_SERVER, etcd: ETCD };
