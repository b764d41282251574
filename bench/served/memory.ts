import { startLoadMaker } from './child.ts';
import { collection, configMap, NAMESPACE, pod, secret } from './objects.ts';
import { plainLine } from './report.ts';
import { ask, startServed } from './server.ts';
import type { Session } from './session.ts';

const WORK = 'resident memory after this load';

const [MAPS, PODS, SECRETS] = [collection('configmaps'), collection('pods'), collection('secrets')];
const CONTENTS = [
  { path: MAPS, body: configMap('kept-{n}'), last: 8_999 },
  { path: PODS, body: pod('web-{n}'), last: 1_499 },
  { path: SECRETS, body: secret('kept-{n}'), last: 499 },
];
const READS = [`${MAPS}/kept-1`, `${MAPS}?limit=500`, MAPS, PODS, SECRETS];

/** What the goal speaks of, in a server of its own: the rows of writes leave as many objects behind as they were fast. */
export async function measureMemory(session: Session): Promise<void> {
  if (!session.wants(WORK)) return;
  const served = await startServed();
  const maker = startLoadMaker();
  const common = { do: 'requests', protocol: 'h1', port: served.port, warmUpSeconds: 0 } as const;
  try {
    await ask(served.port, 'POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: NAMESPACE } }));
    for (const fill of CONTENTS) await maker.run({ ...common, method: 'POST', clients: 32, seconds: 600, first: 0, ...fill }, () => {});
    for (const path of READS) await maker.run({ ...common, method: 'GET', clients: 4, seconds: 0.5, path }, () => {});
    const { rssMegabytes } = await served.observe();
    console.log(`\n${plainLine(WORK, `${rssMegabytes.toFixed(0)} MB`, '300 MB')}   9,000 ConfigMaps, 1,500 Pods, 500 Secrets`);
  } finally {
    await maker.stop();
    await served.stop();
  }
}
