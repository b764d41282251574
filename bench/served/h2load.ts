import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { percentile } from './latency.ts';
import { TOKEN, type Load, type Measured } from './load.ts';

/** Whether nghttp2's `h2load` (Debian: nghttp2-client) is on the path. It takes much less of the processor than a client in JavaScript. */
export const hasH2load = (): boolean => spawnSync('h2load', ['--version']).status === 0;

/** The same as `runRequests` for a fixed GET. Warming up is a run of its own, so that `begin` is called where measuring begins. */
export async function runH2load(load: Load, begin: () => void): Promise<Measured> {
  await h2load(load, load.warmUpSeconds);
  begin();
  const folder = mkdtempSync(join(tmpdir(), 'orch-h2load-'));
  const log = join(folder, 'requests');
  try {
    const from = performance.now();
    await h2load(load, load.seconds, log);
    const seconds = (performance.now() - from) / 1000;
    return { ...summary(readFileSync(log, 'latin1')), seconds, next: 0 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function h2load({ protocol, port, path, clients }: Load, seconds: number, log?: string): Promise<void> {
  const shape = protocol === 'h1' ? ['--h1', '-c', String(clients)] : ['-c', '1', '-m', String(clients)];
  const logged = log === undefined ? [] : ['--log-file', log];
  // By number of requests it would stop in time too, but it rounds time to whole seconds.
  const args = ['-D', String(Math.max(1, Math.round(seconds))), ...shape, ...logged, '-H', `authorization: Bearer ${TOKEN}`, '-H', 'accept: application/json', `https://127.0.0.1:${port}${path}`];
  return new Promise((resolve, reject) => execFile('h2load', args, (failure) => (failure ? reject(failure as Error) : resolve())));
}

/** Lines of start, status and microseconds. */
function summary(text: string): Pick<Measured, 'count' | 'p50Ms' | 'p99Ms' | 'failures'> {
  const failures: Record<string, number> = {};
  const tookMs: number[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, status = '', tookUs] = line.split('\t');
    if (status.startsWith('2')) tookMs.push(Number(tookUs) / 1000);
    else failures[status] = (failures[status] ?? 0) + 1;
  }
  const sorted = Float64Array.from(tookMs);
  return { count: tookMs.length, failures, p50Ms: percentile(sorted, 0.5), p99Ms: percentile(sorted, 0.99) };
}
