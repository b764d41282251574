// The commands that README and docs tell readers to run, and what runs each of them in CI.
import fs from 'node:fs';
import path from 'node:path';

export interface DocumentedCommand {
  /** Where it stands. */
  readonly file: string;
  readonly text: string;
}

/** Lines of indented or `sh` blocks that begin with one of these words are commands. */
const PROGRAMS = /^(?:npm|npx|orch|kubectl|node|\.ci\/run|[A-Z_]+=\S+ npm)(?= |$)/;
/** Behind two spaces or a comment sign stands what the command is for. */
const REMARK = /\s(?: +|#).*$/;

export function documentedCommands(): readonly DocumentedCommand[] {
  const pages = ['README.md', 'CONTRIBUTING.md', ...fs.readdirSync('docs').filter((name) => name.endsWith('.md')).map((name) => path.join('docs', name))];
  return pages.flatMap((file) => commandsIn(fs.readFileSync(file, 'utf8')).map((text) => ({ file, text })));
}

function commandsIn(page: string): readonly string[] {
  const found: string[] = [];
  let language: string | undefined;
  for (const line of page.split('\n')) {
    const fence = /^```(\w*)/.exec(line);
    if (fence !== null) {
      language = language === undefined ? (fence[1] ?? '') : undefined;
      continue;
    }
    const isShell = language === 'sh' || language === 'console' || (language === undefined && line.startsWith('    '));
    const text = line.trim().replace(/^\$ /, '').replace(REMARK, '');
    if (isShell && PROGRAMS.test(text)) found.push(text);
  }
  return found;
}

/** Run by `.ci/run` itself, word for word or inside one of its parts. */
export const RUN_BY_CI: Readonly<Record<string, string>> = {
  'npm ci': 'npm cit',
  'npm cit': 'npm cit',
  'npm test': 'npm cit',
  'npm run check': 'npm run check',
  'npm run requirements': 'npm run requirements',
  'npm run package': 'npm run package',
  '.ci/run': '#!/usr/bin/env bash',
};

/** Run as they are, one after the other, by `test/clients/documentation.test.ts`: what the output must show. */
export const RUN_HERE: Readonly<Record<string, RegExp>> = {
  'npm test -- registry delete': /ℹ fail 0/,
  'npm run where': /4\.7/,
  'npm run where 4.7': /negotiate/,
  'npm run shape': /\d/,
};

/** These keep a server running: `test/clients/documentation.test.ts` starts them, and runs the commands below against them. */
export const RUN_AGAINST: Readonly<Record<string, readonly string[]>> = {
  'npm ci && npm start': ['npx orch get namespaces', 'kubectl --kubeconfig ./orch-data/kubeconfig get namespaces'],
  'npm start -- --dialect=kubernetes --kubeconfig-out=./kubeconfig': ['kubectl --kubeconfig ./kubeconfig create configmap hello --from-literal=text=world'],
  'npm start -- --dialect kubernetes': ['npx orch get namespaces'],
  'orch serve --data-dir=/var/lib/orch': [
    'orch backup monday.backup --data-dir=/var/lib/orch',
    'orch check monday.backup',
    'orch check --data-dir=/var/lib/orch',
    'orch restore monday.backup --data-dir=/var/lib/new',
    'orch backup /var/backups/ --data-dir=/var/lib/orch',
  ],
};

/** Not run as they are, with the reason. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'npx orch envtest ./envtest': 'test/cli/envtest.test.ts makes such a folder, and starts what is in it as envtest does',
  'orch envtest bin/k8s/1.23.17-linux-amd64': 'the same',
  'orch envtest ~/.kubeapitest/k8s/1.23.17-linux-amd64': 'the same; the test starts it also with the flags of kube-api-test',
  'orch restore monday.backup --data-dir=/var/lib/orch': 'the same as into /var/lib/new, which is run',
  'orch serve --dialect=kubernetes \\': 'needs the etcd of a cluster; test/etcd/ starts servers with these flags',
  'orch serve --workers=4': 'test/durability/workers.test.ts starts a server with several workers, and kills them',
  'npm install ./orch-0.1.0.tgz': '.ci/run installs what `npm run package` makes, whatever its version',
  'npm install --global ./orch-0.1.0.tgz': 'the same package; a test leaves the programs of the machine alone',
  'npm run bench': 'its figures mean nothing on a machine that runs CI beside it; the programs are compiled by `npm cit`',
  'npm run bench -- watchers big-lists': 'the same; what holds on any machine is asserted by test/soak/readers.test.ts',
  'npm run bench -- crowds': 'the same; that reads do not wait for all writes before them is asserted by src/http/start-queue.test.ts',
  'npm run bench -- definitions': 'the same; that a definition is no work for others is asserted by src/extensions/crd/custom-resources.test.ts',
};
