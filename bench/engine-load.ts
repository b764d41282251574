import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine, type Engine } from '#storage';

const VALUE_BYTES = 1_500;

/** Each figure takes at most this long. */
export const SPAN_MS = 2_000;

export const keyOf = (i: number): string => `/registry/configmaps/bench/name-${String(i).padStart(7, '0')}`;

/** JSON-like bytes of the size of a usual object, each time a fresh array as a store hands them over. */
export const makeValue = (): Uint8Array => Buffer.alloc(VALUE_BYTES, '{"kind":"ConfigMap"}');

/** Runs `work` on an empty LMDB store in a folder of its own. */
export async function withEngine(work: (engine: Engine) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(process.env['BENCH_DIR'] ?? tmpdir(), 'orch-bench-'));
  const engine = await openEngine(`lmdb://${folder}`);
  try {
    await work(engine);
  } finally {
    await engine.close();
    await rm(folder, { recursive: true });
  }
}

/** What processors have done for this process, in nanoseconds: for its main thread, and for LMDB's and the engine's own together. Linux only. */
export function cpuNs(): { readonly main: number; readonly others: number } {
  const cpu = { main: 0, others: 0 };
  if (process.platform !== 'linux') return cpu;
  for (const thread of readdirSync('/proc/self/task')) {
    const ns = Number(readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    if (Number(thread) === process.pid) cpu.main += ns;
    else cpu.others += ns;
  }
  return cpu;
}

/** One line: rate, how long the middle and the slowest hundredth took, and what each cost the processors since `before`. */
export function report(name: string, tookMs: number[], spanMs: number, before?: ReturnType<typeof cpuNs>): void {
  const sorted = Float64Array.from(tookMs).sort();
  const at = (share: number): string => `${(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(3)} ms`;
  const rate = Math.round((tookMs.length / spanMs) * 1000);
  const now = cpuNs();
  const perOne = (ns: number): string => (ns / 1000 / tookMs.length).toFixed(1);
  const cpu = before === undefined ? '' : `   cpu ${perOne(now.main - before.main)} + ${perOne(now.others - before.others)} µs`;
  console.log(`${name.padEnd(28)} ${String(rate).padStart(9)}/s   p50 ${at(0.5)}   p99 ${at(0.99)}${cpu}`);
}
