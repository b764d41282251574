import { collection, configMap, DEPLOYMENTS, wideDeployment } from './objects.ts';
import { plainLine } from './report.ts';
import type { RowLoad, Session } from './session.ts';

const MAPS = collection('configmaps');
const APPLY = { method: 'PATCH', contentType: 'application/apply-patch+yaml' };
const UNCHANGED = 'apply of what is there, 16 clients';
const WIDE = 'apply, 50 containers, 2,000 owned fields';
const UNCHANGED_BAR = 0.4;

/** Applying rows: what changes nothing, beside a GET of the same objects over as many connections; and one object with very many owned fields. */
export async function measureApplies(session: Session): Promise<void> {
  if (session.wants(UNCHANGED)) await measureUnchanged(session);
  if (session.wants(WIDE)) await measureWide(session);
}

async function measureUnchanged(session: Session): Promise<void> {
  const path = `${MAPS}/same-{c}`;
  const apply: RowLoad = { ...APPLY, path: `${path}?fieldManager=bench`, clients: 16, body: configMap('same-{c}') };
  await session.fill({ ...APPLY, path: `${MAPS}/same-{n}?fieldManager=bench`, clients: 1, body: configMap('same-{n}'), last: 15 });
  const probe = await session.measure({ method: 'GET', path, clients: 16 });
  const ours = await session.measure(apply);
  session.row({ work: UNCHANGED, goalPerSecond: 0, ours, probe: { name: 'our GET', ...probe }, bar: UNCHANGED_BAR });
}

async function measureWide(session: Session): Promise<void> {
  const { measured, cpuUs } = await session.measure({
    ...APPLY,
    path: `${DEPLOYMENTS}/wide?fieldManager=bench`,
    clients: 1,
    body: wideDeployment('wide', '{n}'),
  });
  const failures = Object.entries(measured.failures).map(([status, count]) => `  FAILED ${count} x ${status}`);
  const cpu = cpuUs === undefined ? '' : `, cpu ${(cpuUs / 1000).toFixed(1)} ms`;
  console.log(plainLine(WIDE, `p50 ${measured.p50Ms.toFixed(1)} ms, p99 ${measured.p99Ms.toFixed(1)} ms${cpu}`, 'p99 15 ms') + failures.join(''));
}
