import { collection, configMap, labelled, pod } from './objects.ts';
import { ask } from './server.ts';
import type { RowLoad, Session } from './session.ts';

const READ_BAR = 0.6;

interface Read {
  readonly work: string;
  readonly goalPerSecond: number;
  readonly load: RowLoad;
}

const MAPS = collection('configmaps');
const PODS = collection('pods');
const get = (path: string, clients: number): RowLoad => ({ method: 'GET', path, clients });

const READS: readonly Read[] = [
  { work: 'get one, 64 connections, HTTP/1.1', goalPerSecond: 20_000, load: get(`${MAPS}/read-1`, 64) },
  { work: 'get one, 64 streams, HTTP/2', goalPerSecond: 25_000, load: { ...get(`${MAPS}/read-1`, 64), protocol: 'h2' } },
  { work: 'list 500 of 4,000 (limit=500), 4 clients', goalPerSecond: 600, load: get(`${MAPS}?limit=500`, 4) },
  { work: 'list 1,500 pods, rv=0, 4 clients', goalPerSecond: 200, load: get(`${PODS}?resourceVersion=0`, 4) },
  { work: 'list 1,500 pods, consistent', goalPerSecond: 180, load: get(PODS, 4) },
  { work: 'list by label, 10 % of 3,000, 4 clients', goalPerSecond: 1_000, load: get(`/api/v1/namespaces/bench-labels/configmaps?labelSelector=group%3Dg3`, 4) },
];

/** Reading rows. */
export async function measureReads(session: Session): Promise<void> {
  const reads = READS.filter(({ work }) => session.wants(work));
  if (reads.length === 0) return;
  await makeObjects(session);
  for (const { work, goalPerSecond, load } of reads) {
    const { bytes } = await ask(session.served.port, 'GET', load.path);
    const bare = await session.measureBare(load, bytes);
    const ours = await session.measure(load);
    const size = bytes < 100_000 ? '' : ` (${(bytes / 1e6).toFixed(1)} MB)`;
    session.row({ work: work + size, goalPerSecond, ours, probe: { name: 'bare', ...bare }, bar: READ_BAR });
  }
}

async function makeObjects(session: Session): Promise<void> {
  const { port } = session.served;
  await ask(port, 'POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: 'bench-labels' } }));
  const post = { method: 'POST', clients: 32 };
  await session.fill({ ...post, path: MAPS, body: configMap('read-{n}'), first: 1, last: 4_000 });
  for (let group = 0; group < 10; group += 1) {
    await session.fill({ ...post, path: '/api/v1/namespaces/bench-labels/configmaps', body: labelled(`l-${group}-{n}`, group), first: 1, last: 300 });
  }
  await session.fill({ ...post, path: PODS, body: pod('web-{n}'), first: 1, last: 1_500 });
}
