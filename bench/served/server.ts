import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { end, OBSERVER, watched, type Watched } from './child.ts';
import { TOKEN } from './load.ts';

export interface Served extends Watched {
  readonly port: number;
  readonly folder: string;
  /** From starting the process until `/readyz` answered 200. */
  readonly startMs: number;
  /** Ends the server; `keep` leaves its store for the next one. */
  stop(options?: { readonly keep: boolean }): Promise<void>;
}

const READY_WITHIN_MS = 60_000;
const ADDRESS = /https:\/\/127\.0\.0\.1:(\d+)/;

/**
 * The built command as users start it: LMDB on disk, TLS, a token file. `folder`: the store of an earlier server. Node gets the flags in
 * `BENCH_SERVER_FLAGS`, for profiles.
 */
export async function startServed(folder = mkdtempSync(join(process.env['BENCH_DIR'] ?? tmpdir(), 'orch-bench-'))): Promise<Served> {
  const nodeFlags = process.env['BENCH_SERVER_FLAGS']?.split(' ').filter((flag) => flag !== '') ?? [];
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, `${TOKEN},bench,bench,"system:masters"\n`);
  const flags = ['--data-dir', folder, '--store', `lmdb://${join(folder, 'store')}`, '--secure-port', '0', '--token-auth-file', tokens];
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--import', OBSERVER, ...nodeFlags, resolve('dist/bin/orch.js'), 'serve', '--dialect=kubernetes', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const port = await new Promise<number>((found, reject) => {
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      const address = ADDRESS.exec(printed);
      if (address !== null) found(Number(address[1]));
    });
    child.on('exit', (code) => reject(new Error(`the server ended with ${code} before it was ready:\n${printed}`)));
  });
  await waitUntilReady(port);
  return {
    port,
    folder,
    startMs: performance.now() - startedAt,
    ...watched(child),
    async stop({ keep } = { keep: false }) {
      await end(child, 'SIGTERM');
      if (!keep) rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function waitUntilReady(port: number): Promise<void> {
  const giveUpAt = performance.now() + READY_WITHIN_MS;
  while ((await ask(port, 'GET', '/readyz')).status !== 200) {
    if (performance.now() > giveUpAt) throw new Error('the server did not become ready');
  }
}

export interface Asked {
  readonly status: number;
  readonly bytes: number;
}

/** One request on a connection of its own. */
export function ask(port: number, method: string, path: string, body?: string): Promise<Asked> {
  return new Promise((answered, reject) => {
    const headers = { authorization: `Bearer ${TOKEN}`, accept: 'application/json', 'content-type': 'application/json' };
    const sent = request({ host: '127.0.0.1', port, method, path, headers, rejectUnauthorized: false, agent: false }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('end', () => answered({ status: response.statusCode ?? 0, bytes }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

