import type { EngineWork } from './engine-probe.ts';
import { applyConfig, collection, configMap, mergePatch } from './objects.ts';
import type { Figure, Row } from './report.ts';
import { slower, type RowLoad, type Session } from './session.ts';

const WRITE_BAR = 0.5;
const ANSWER_BYTES = 1_200;
const MOST_DELETIONS_PER_SECOND = 12_000;
const MAPS = collection('configmaps');

interface Write {
  readonly work: string;
  readonly goalPerSecond: number;
  readonly engine: EngineWork;
  readonly load: RowLoad;
  /** Shows what there is to reach: a Node server that does nothing but commit the body and answer with it. */
  readonly besideWithoutApi?: true;
}

const create = (clients: number): RowLoad => ({ method: 'POST', path: MAPS, clients, body: configMap(`made-${clients}-{n}`) });
const own = { path: `${MAPS}/own-{c}`, clients: 16 };

const WRITES: readonly Write[] = [
  { work: 'create, 1 client', goalPerSecond: 2_000, engine: 'create', load: create(1), besideWithoutApi: true },
  { work: 'create, 16 clients', goalPerSecond: 9_000, engine: 'create', load: create(16), besideWithoutApi: true },
  // Once more: a server that has taken many writes by now, whose code is compiled, beside the one of the first row, which has just begun.
  { work: 'create, 1 client, later', goalPerSecond: 2_000, engine: 'create', load: { ...create(1), body: configMap('made-later-{n}') } },
  { work: 'update, 16 clients', goalPerSecond: 7_000, engine: 'update', load: { ...own, method: 'PUT', body: configMap('own-{c}', { count: '{n}' }) } },
  {
    work: 'merge patch, 16 clients',
    goalPerSecond: 6_000,
    engine: 'update',
    load: { ...own, method: 'PATCH', contentType: 'application/merge-patch+json', body: mergePatch },
  },
  {
    work: 'apply, 16 clients',
    goalPerSecond: 5_000,
    engine: 'update',
    load: { ...own, method: 'PATCH', path: `${own.path}?fieldManager=bench&force=true`, contentType: 'application/apply-patch+yaml', body: applyConfig },
  },
];

/** Writing rows. All are durable when they are answered. */
export async function measureWrites(session: Session): Promise<void> {
  const writes = WRITES.filter(({ work }) => session.wants(work));
  if (writes.length > 0) await session.fill({ method: 'POST', path: MAPS, clients: 1, body: configMap('own-{n}'), last: 15 });
  const probes = new Map<string, Row['probe']>();
  let made = 0;
  for (const { work, goalPerSecond, engine, load, besideWithoutApi } of writes) {
    const probeName = `${engine} ${load.clients}`;
    const probe = probes.get(probeName) ?? (await probeWrite(session, engine, load.clients));
    probes.set(probeName, probe);
    const ours = await session.measure(load);
    if (engine === 'create' && load.clients === 16) made = ours.measured.next;
    session.row({ work, goalPerSecond, ours, probe, bar: WRITE_BAR });
    if (besideWithoutApi === true) session.beside('  without an API: commit and answer', await session.measureCommitting(load));
  }
  if (session.wants('delete, 16 clients')) await measureDelete(session, made);
}

async function measureDelete(session: Session, made: number): Promise<void> {
  const load: RowLoad = { method: 'DELETE', path: `${MAPS}/made-16-{n}`, clients: 16 };
  // Enough for the time at more than the rate to reach; what was made while creating is there already.
  const wanted = Math.ceil(MOST_DELETIONS_PER_SECOND * session.secondsEach);
  if (made < wanted) await session.fill({ ...create(16), first: made, last: wanted - 1 });
  const ours = await session.measure({ ...load, first: 0, last: Math.max(made, wanted) - 1 });
  session.row({ work: 'delete, 16 clients', goalPerSecond: 8_000, ours, probe: await probeWrite(session, 'delete', 16), bar: WRITE_BAR });
}

async function probeWrite(session: Session, work: EngineWork, clients: number): Promise<Row['probe']> {
  const post = await session.measureBare({ method: 'POST', path: '', clients, body: configMap('some-name') }, ANSWER_BYTES);
  const engine: Figure = await session.measureEngine(work, clients);
  return slower<Row['probe']>({ name: 'bare POST', ...post }, { name: 'raw engine', ...engine });
}
