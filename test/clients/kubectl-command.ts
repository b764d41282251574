// Runs the real kubectl or helm of one release against a server.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { endsWithFile } from '../support/children.ts';

export interface Finished {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface Kubectl {
  /** Runs to the end and resolves to what it printed; rejects when it exits with anything but 0. */
  run(args: readonly string[], input?: string): Promise<string>;
  /** Runs to the end, whatever the exit code. */
  attempt(args: readonly string[], input?: string): Promise<Finished>;
  /** Starts a command that goes on; its lines are read one by one. */
  follow(args: readonly string[]): Follower;
  /** Removes what the client kept on disk. */
  close(): void;
}

export interface Follower {
  nextLine(): Promise<string>;
  stop(): Promise<void>;
}

/** `release` is one of those that `scripts/fetch-clients.mjs` fetches. */
export const kubectl = (release: string, kubeconfig: string): Kubectl => command('kubectl', release, kubeconfig);

/** The helm that comes with that release of kubectl. */
export const helm = (release: string, kubeconfig: string): Kubectl => command('helm', release, kubeconfig);

function command(name: 'kubectl' | 'helm', release: string, kubeconfig: string): Kubectl {
  const program = path.resolve('.cache/clients', release, name);
  if (!fs.existsSync(program)) throw new Error(`${program} is missing: run node scripts/fetch-clients.mjs`);
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'orch-kubectl-'));
  const env = { PATH: process.env['PATH'], HOME: home, KUBECONFIG: kubeconfig, KUBE_EDITOR: 'sed -i s/before/after/' };

  const attempt = (args: readonly string[], input = ''): Promise<Finished> =>
    new Promise((resolve) => {
      const child = execFile(program, args, { env, timeout: 60_000, maxBuffer: 32 << 20 }, (error, out, err) => {
        resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, out, err });
      });
      child.stdin?.end(input);
    });
  return {
    attempt,
    async run(args, input) {
      const { code, out, err } = await attempt(args, input);
      if (code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${code}\n${err}${out}`);
      return out;
    },
    follow: (args) => follower(endsWithFile(spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] }))),
    close: () => fs.rmSync(home, { recursive: true, force: true }),
  };
}

function follower(child: ChildProcess): Follower {
  if (child.stdout === null) throw new Error('no output to follow');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exit = once(child, 'exit');
  return {
    async nextLine() {
      const { value, done } = (await lines.next()) as IteratorResult<string, undefined>;
      if (done === true) throw new Error('the command ended');
      return value;
    },
    async stop() {
      child.kill();
      await exit;
    },
  };
}
