import { resolve } from 'node:path';
import { failureText, makeFolder } from '#base';
import { EXIT, type Command } from '../command.ts';
import { placePrograms } from '../envtest/place-programs.ts';
import { UsageError } from '../usage-error.ts';

export const envtest: Command = {
  usage: 'orch envtest <folder>',
  description: 'Puts into a folder what envtest of controller-runtime, and its likes in other languages, start: this server as kube-apiserver, and a stand-in for etcd.',
  flags: [],
  examples: ['orch envtest ./envtest', 'KUBEBUILDER_ASSETS=$PWD/envtest go test ./...'],
  async run([folder, ...rest], _flags, terminal) {
    if (folder === undefined || folder === '') throw new UsageError('say where the programs go: orch envtest <folder>');
    if (rest[0] !== undefined) throw new UsageError(`unexpected word ${JSON.stringify(rest[0])}`);
    const foreign = await placed(folder);
    if (foreign !== undefined) throw new Error(`${foreign} was not made by orch envtest and stays as it is: move it away, or give another folder`);
    terminal.out(`KUBEBUILDER_ASSETS=${resolve(folder)}\n`);
    return EXIT.ok;
  },
};

async function placed(folder: string): Promise<string | undefined> {
  try {
    // Nothing in it is secret, and tests may run as another user.
    makeFolder(folder, 0o777);
    return await placePrograms(folder);
  } catch (cause) {
    throw new UsageError(`cannot write to ${folder}: ${failureText(cause)}`);
  }
}
