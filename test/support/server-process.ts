// The built server as a process of its own, for suites that look at it from outside: real clients, conformance, crash tests.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import https from 'node:https';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endsWithFile } from './children.ts';

/** Users that every suite may count on; the token is the name with `token` behind it. */
const TOKENS = ['admintoken,admin,adminuid,"system:masters"', 'alicetoken,alice,aliceuid,"dev"', 'bobtoken,bob,bobuid'].join('\n');

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** A file with address, certificate authority and credentials of the administrator. */
  readonly kubeconfig: string;
  /** Everything the process has printed so far. */
  output(): string;
  /** Sends the signal and waits for the end; resolves to the exit code, or to the name of the signal that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | string>;
}

export interface ServerProcessOptions {
  readonly flags: readonly string[];
  /** Milliseconds until `/readyz` must have answered 200. */
  readonly readyWithinMs?: number;
}

/** Starts `orch serve` on a free port and resolves when it is ready. Rejects with the output when it ends or takes too long. */
export async function startServerProcess({ flags, readyWithinMs = 20_000 }: ServerProcessOptions): Promise<ServerProcess> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orch-server-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  const tokens = path.join(folder, 'tokens.csv');
  fs.writeFileSync(tokens, `${TOKENS}\n`);
  const own = ['--bind-address', '127.0.0.1', '--secure-port', '0', '--token-auth-file', tokens, '--kubeconfig-out', kubeconfig];
  const dataDir = flags.some((flag) => flag.startsWith('--data-dir')) ? [] : ['--data-dir', path.join(folder, 'data')];
  const child = endsWithFile(spawn(process.execPath, [path.resolve('dist/bin/orch.js'), 'serve', ...own, ...dataDir, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] }));

  const printed: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => printed.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => printed.push(text));
  let ended: number | string | undefined;
  const end = once(child, 'exit').then((exit) => {
    const [code, signal] = exit as [number | null, string | null];
    ended = code ?? signal ?? 'unknown';
    fs.rmSync(folder, { recursive: true, force: true });
    return ended;
  });
  const stop = (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string> => {
    child.kill(signal);
    return end;
  };

  const deadline = Date.now() + readyWithinMs;
  for (;;) {
    if (ended !== undefined) throw new Error(`the server ended with ${ended} before it was ready:\n${printed.join('')}`);
    const url = addressIn(kubeconfig);
    if (url !== undefined && (await isReady(url))) return { url, pid: child.pid ?? 0, kubeconfig, output: () => printed.join(''), stop };
    if (Date.now() > deadline) {
      await stop('SIGKILL');
      throw new Error(`the server was not ready after ${readyWithinMs} ms:\n${printed.join('')}`);
    }
    await pause(20);
  }
}

function addressIn(kubeconfig: string): string | undefined {
  if (!fs.existsSync(kubeconfig)) return undefined;
  return /"?server"?:\s*"?(https?:\/\/[^\s"']+)/.exec(fs.readFileSync(kubeconfig, 'utf8'))?.[1];
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = https.get(`${url}/readyz`, { rejectUnauthorized: false, agent: false, headers: { authorization: 'Bearer admintoken' } }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
    request.setTimeout(2_000, () => request.destroy());
  });
}
