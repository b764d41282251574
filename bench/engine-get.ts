/** Reads of one entry and of pages, from a store of 10,000 objects. */
import { keyOf, makeValue, report, SPAN_MS, withEngine } from './engine-load.ts';

const OBJECTS = 10_000;
const PAGE = 500;

await withEngine(async (engine) => {
  await Promise.all(Array.from({ length: OBJECTS }, (_, i) => engine.commit({ key: keyOf(i), expect: 0, value: makeValue() })));

  const measure = async (name: string, work: (i: number) => Promise<unknown>): Promise<void> => {
    const tookMs: number[] = [];
    const from = performance.now();
    for (let i = 0; performance.now() - from < SPAN_MS / 2; i++) {
      const start = performance.now();
      await work(i);
      tookMs.push(performance.now() - start);
      // Servers read in turns of the event loop, each with a fresh snapshot.
      if (i % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    report(name, tookMs, performance.now() - from);
  };

  await measure('get', (i) => engine.get(keyOf((i * 7_919) % OBJECTS)));
  await measure(`page of ${PAGE}`, () => engine.scan({ start: keyOf(2_000), end: keyOf(OBJECTS), limit: PAGE }));
  await measure(`page of ${PAGE}, counted`, () => engine.scan({ start: keyOf(2_000), end: keyOf(OBJECTS), limit: PAGE, count: true }));
  const at = await engine.head();
  for (let i = 0; i < 100; i++) {
    const key = keyOf(i * 90);
    await engine.commit({ key, expect: (await engine.get(key))?.revision ?? 0, value: makeValue() });
  }
  await measure(`page of ${PAGE}, earlier`, () => engine.scan({ start: keyOf(2_000), end: keyOf(OBJECTS), limit: PAGE, at }));
});
