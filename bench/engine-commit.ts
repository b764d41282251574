/** Durable writes of one object each: creates and updates, by 1, 16 and 128 writers; and what one costs the main thread and the others. */
import { cpuNs, keyOf, makeValue, report, SPAN_MS, withEngine } from './engine-load.ts';

for (const kind of ['create', 'update'] as const) {
  for (const writers of [1, 16, 128]) {
    await withEngine(async (engine) => {
      const tookMs: number[] = [];
      const before = cpuNs();
      const from = performance.now();
      let next = 0;
      const write = async (id: number): Promise<void> => {
        let expect = 0;
        while (performance.now() - from < SPAN_MS) {
          const start = performance.now();
          const commit = await engine.commit({ key: keyOf(kind === 'create' ? next++ : id), expect, value: makeValue() });
          if (!commit.done) throw new Error('a write without rivals lost');
          if (kind === 'update') expect = commit.revision;
          tookMs.push(performance.now() - start);
        }
      };
      await Promise.all(Array.from({ length: writers }, (_, id) => write(id)));
      report(`${kind}, ${writers} writers`, tookMs, performance.now() - from, before);
    });
  }
}
