import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { failureText } from '#base';
import { EXIT, type Command } from '../command.ts';
import { ENVTEST_PROGRAMS } from '../envtest/programs.ts';
import { UsageError } from '../usage-error.ts';

export const envtest: Command = {
  usage: 'orch envtest <folder>',
  description: 'Puts into a folder what envtest of controller-runtime, and its likes in other languages, start: this server as kube-apiserver, and a stand-in for etcd.',
  flags: [],
  examples: ['orch envtest ./envtest', 'KUBEBUILDER_ASSETS=$PWD/envtest go test ./...'],
  async run([folder, ...rest], _flags, terminal) {
    if (folder === undefined || folder === '') throw new UsageError('say where the programs go: orch envtest <folder>');
    if (rest[0] !== undefined) throw new UsageError(`unexpected word ${JSON.stringify(rest[0])}`);
    try {
      await mkdir(folder, { recursive: true });
      for (const [name, text] of Object.entries(ENVTEST_PROGRAMS)) await writeProgram(join(folder, name), text);
    } catch (cause) {
      throw new UsageError(`cannot write to ${folder}: ${failureText(cause)}`);
    }
    terminal.out(`KUBEBUILDER_ASSETS=${resolve(folder)}\n`);
    return EXIT.ok;
  },
};

async function writeProgram(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o755);
}
