import { configMap } from './objects.ts';
import type { Session } from './session.ts';

const FAN_OUT_BAR = 0.7;
const WATCHERS = 100;
const WRITERS = 16;
const WORK = 'watch fan-out, 100 watchers, events';

/** Events that reach the watchers of one resource while 16 clients update it. */
export async function measureFanOut(session: Session): Promise<void> {
  if (!session.wants(WORK)) return;
  const path = '/api/v1/namespaces/bench-watch/configmaps';
  const event = configMap('watched-{c}', { sentAt: '{t}' });
  const shape = { watchers: WATCHERS, writers: WRITERS };
  await makeTargets(session, path);
  // The same bytes as a frame of ours.
  const frame = JSON.stringify({ type: 'MODIFIED', object: { ...(JSON.parse(event) as object), padding: 'x'.repeat(330) } });
  const bare = await session.measureFanOut(
    { ...shape, port: session.bare.h1, watchPath: '/watch', method: 'POST', writePath: '/event', body: frame },
    session.bare,
  );
  const ours = await session.measureFanOut(
    { ...shape, port: session.served.port, watchPath: `${path}?watch=1`, method: 'PUT', writePath: `${path}/watched-{c}`, body: event },
    session.served,
  );
  session.row({ work: WORK, goalPerSecond: 180_000, ours, probe: { name: 'bare', ...bare }, bar: FAN_OUT_BAR });
}

async function makeTargets(session: Session, path: string): Promise<void> {
  const namespace = JSON.stringify({ metadata: { name: 'bench-watch' } });
  await session.fill({ method: 'POST', path: '/api/v1/namespaces', clients: 1, body: namespace, last: 0 });
  await session.fill({ method: 'POST', path, clients: 1, body: configMap('watched-{n}', { sentAt: '0' }), last: WRITERS - 1 });
}
