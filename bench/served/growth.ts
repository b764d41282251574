import { rateOf } from './load.ts';
import { configMap } from './objects.ts';
import { ask, startServed } from './server.ts';
import type { Session } from './session.ts';

const WORK = 'growth';
const PATH = '/api/v1/namespaces/bench-growth/configmaps';

/** How reads and writes change with the number of objects of a kind, the longest list, and a start with all of them. */
export async function measureGrowth(session: Session, sizes: readonly number[], longList: number): Promise<void> {
  if (!session.wants(WORK)) return;
  console.log(`\n${'objects of a kind'.padEnd(20)} ${'get/s'.padStart(9)} ${'create/s'.padStart(9)} ${'page of 500/s'.padStart(14)}   rate at the first size is 1`);
  await session.fill({ method: 'POST', path: '/api/v1/namespaces', clients: 1, body: JSON.stringify({ metadata: { name: 'bench-growth' } }), last: 0 });
  let made = 0;
  let first: readonly number[] | undefined;
  for (const size of sizes) {
    await grow(session, made, size);
    const get = await session.measure({ method: 'GET', path: `${PATH}/grown-7`, clients: 16 });
    const page = await session.measure({ method: 'GET', path: `${PATH}?limit=500`, clients: 4 });
    const create = await session.measure({ method: 'POST', path: PATH.replace('-growth', ''), clients: 16, body: configMap(`after-${size}-{n}`) });
    made = size;
    const rates = [get, create, page].map(({ measured }) => rateOf(measured));
    first ??= rates;
    const base = first;
    console.log(`${String(size).padEnd(20)} ${rates.map((rate, at) => `${rate.toFixed(0)} (${(rate / (base[at] ?? 1)).toFixed(2)})`.padStart(13)).join(' ')}`);
  }
  await listAll(session, made, Math.max(longList, made));
  await restart(session, Math.max(longList, made));
}

const grow = (session: Session, from: number, to: number): Promise<unknown> =>
  session.fill({ method: 'POST', path: PATH, clients: 32, body: configMap('grown-{n}'), first: from, last: to - 1 });

async function listAll(session: Session, made: number, size: number): Promise<void> {
  if (size > made) await grow(session, made, size);
  await session.served.observe();
  const from = performance.now();
  const { bytes } = await ask(session.served.port, 'GET', PATH);
  const tookMs = performance.now() - from;
  const { longestTurnMs, rssMegabytes } = await session.served.observe();
  session.longestTurnMs = Math.max(session.longestTurnMs, longestTurnMs);
  console.log(`list of ${size}: ${(bytes / 1e6).toFixed(1)} MB in ${tookMs.toFixed(0)} ms, longest hold-up ${longestTurnMs.toFixed(0)} ms (bar 50 ms), resident memory after it ${rssMegabytes.toFixed(0)} MB`);
}

async function restart(session: Session, size: number): Promise<void> {
  await session.served.stop({ keep: true });
  const again = await startServed(session.served.folder);
  console.log(`start with more than ${size} objects: ${again.startMs.toFixed(0)} ms (goal 3 s with 100,000)`);
  await again.stop();
}
