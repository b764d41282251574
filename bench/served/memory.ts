import { collection, configMap, secret } from './objects.ts';
import { plainLine } from './report.ts';
import type { Session } from './session.ts';

const WORK = 'resident memory after this load';

/** Tops the store up to what the goal speaks of: 9,000 ConfigMaps, 500 Secrets; 1,500 Deployments are there since the lists. */
export async function measureMemory(session: Session): Promise<void> {
  if (!session.wants(WORK)) return;
  const post = { method: 'POST', clients: 32 };
  await session.fill({ ...post, path: collection('configmaps'), body: configMap('kept-{n}'), last: 1_999 });
  await session.fill({ ...post, path: collection('secrets'), body: secret('kept-{n}'), last: 499 });
  const { rssMegabytes } = await session.served.observe();
  console.log(`\n${plainLine(WORK, `${rssMegabytes.toFixed(0)} MB`, '300 MB')}`);
}
