import { keyOf, withEngine } from '../engine-load.ts';
import { Latencies } from './latency.ts';
import type { Measured } from './load.ts';

export type EngineWork = 'create' | 'update' | 'delete';

/** Durable writes of `bytes` each, straight into an LMDB store of its own, by so many writers. */
export async function probeEngine(work: EngineWork, writers: number, bytes: number, seconds: number): Promise<Measured> {
  const latencies = new Latencies();
  let count = 0;
  let took = 0;
  await withEngine(async (engine) => {
    const value = (): Uint8Array => Buffer.alloc(bytes, '{"kind":"ConfigMap"}');
    const prepared: { readonly key: string; readonly revision: number }[] = [];
    if (work === 'delete') {
      await Promise.all(
        Array.from({ length: 20_000 }, async (_, n) => {
          const commit = await engine.commit({ key: keyOf(n), expect: 0, value: value() });
          if (commit.done) prepared.push({ key: keyOf(n), revision: commit.revision });
        }),
      );
    }
    const from = performance.now();
    let next = 0;
    const write = async (id: number): Promise<void> => {
      let expect = 0;
      while (performance.now() - from < seconds * 1000) {
        const start = performance.now();
        const doomed = work === 'delete' ? prepared[next++] : undefined;
        if (work === 'delete' && doomed === undefined) return;
        const commit = await engine.commit(
          doomed === undefined ? { key: keyOf(work === 'create' ? next++ : id), expect, value: value() } : { key: doomed.key, expect: doomed.revision },
        );
        if (!commit.done) throw new Error('a write without rivals lost');
        if (work === 'update') expect = commit.revision;
        count += 1;
        latencies.add(performance.now() - start);
      }
    };
    await Promise.all(Array.from({ length: writers }, (_, id) => write(id)));
    took = (performance.now() - from) / 1000;
  });
  return { count, seconds: took, p50Ms: latencies.at(0.5), p99Ms: latencies.at(0.99), failures: {}, next: 0 };
}
