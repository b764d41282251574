/**
 * How long it takes until what must follow has followed, and what that does to others: a namespace with 5,000 objects of 20 kinds, and 10,000
 * dependents of one owner, each while a client reads one object after another. `--quick` takes a tenth of the objects.
 * The server is a process of its own, with its store on disk.
 */
import { startLoadMaker, type LoadMaker } from './served/child.ts';
import { manyKinds } from './served/many-kinds.ts';
import { askJson } from './served/ask-json.ts';
import { besides, type Seen } from './served/besides.ts';
import { pause } from './served/pause.ts';
import { startServed, type Served } from './served/server.ts';

const SHARE = process.argv.includes('--quick') ? 0.1 : 1;
const PER_KIND = 250 * SHARE;
const DEPENDENTS = 10_000 * SHARE;
const ALONE_MS = 2_000;
const LOOK_EVERY_MS = 50;
const HOME = '/api/v1/namespaces/bench-home';

function tell(title: string, count: number, bar: string, { tookMs, p50Ms, p99Ms, reads, cpuMs, longestTurnMs, rssMegabytes }: Seen): void {
  const work = count === 0 ? '' : `, ${((cpuMs * 1000) / count).toFixed(0)} us of processor each`;
  console.log(`${title.padEnd(34)} ${(tookMs / 1000).toFixed(2)} s ${bar}${work}`);
  console.log(`${''.padEnd(34)} ${reads} reads beside it: p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms (bar 20 ms); longest hold-up ${longestTurnMs.toFixed(0)} ms; ${rssMegabytes.toFixed(0)} MB`);
}

async function fill(maker: LoadMaker, served: Served, path: string, body: string, count: number): Promise<void> {
  const order = { do: 'requests', protocol: 'h1', port: served.port, clients: 16, method: 'POST', path, body, warmUpSeconds: 0, seconds: 600, last: count - 1 } as const;
  const { failures } = await maker.run(order, () => {});
  if (Object.keys(failures).length > 0) throw new Error(`POST ${path}: ${JSON.stringify(failures)}; ${(await askJson(served.port, 'POST', path, body.replaceAll('{n}', 'x'))).text}`);
}

async function namespaceGoes(served: Served, maker: LoadMaker): Promise<void> {
  const name = 'bench-full';
  await askJson(served.port, 'POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name } }));
  while ((await askJson(served.port, 'GET', `/api/v1/namespaces/${name}/serviceaccounts/default`)).status !== 200) await pause(LOOK_EVERY_MS);
  const kinds = manyKinds(name);
  for (const { path, body } of kinds) await fill(maker, served, path, body, PER_KIND);
  const seen = await besides(served, async () => {
    await askJson(served.port, 'DELETE', `/api/v1/namespaces/${name}`);
    while ((await askJson(served.port, 'GET', `/api/v1/namespaces/${name}`)).status !== 404) await pause(LOOK_EVERY_MS);
  });
  tell(`namespace with ${PER_KIND * kinds.length} objects of ${kinds.length} kinds`, PER_KIND * kinds.length, '(bar 5 s)', seen);
}

async function dependentsGo(served: Served, maker: LoadMaker, propagationPolicy: string): Promise<void> {
  const owner = (await askJson(served.port, 'POST', `${HOME}/configmaps`, JSON.stringify({ metadata: { name: 'owner' } }))).body;
  const uid = owner.metadata?.uid;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true }];
  await fill(maker, served, `${HOME}/secrets`, JSON.stringify({ metadata: { name: 'dependent-{n}', ownerReferences }, data: {} }), DEPENDENTS);
  const seen = await besides(served, async () => {
    await askJson(served.port, 'DELETE', `${HOME}/configmaps/owner`, JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy }));
    while (((await askJson(served.port, 'GET', `${HOME}/secrets?limit=1`)).body.items?.length ?? 0) > 0) await pause(LOOK_EVERY_MS);
    while ((await askJson(served.port, 'GET', `${HOME}/configmaps/owner`)).status !== 404) await pause(LOOK_EVERY_MS);
  });
  tell(`${DEPENDENTS} dependents, ${propagationPolicy.toLowerCase()}`, DEPENDENTS, '(bar 10 s)', seen);
}

const served = await startServed();
const maker = startLoadMaker();
try {
  await askJson(served.port, 'POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: 'bench-home' } }));
  await besides(served, () => pause(ALONE_MS / 2));
  tell('reads alone', 0, '', await besides(served, () => pause(ALONE_MS)));
  await namespaceGoes(served, maker);
  for (const policy of ['Background', 'Foreground']) await dependentsGo(served, maker, policy);
} finally {
  await maker.stop();
  await served.stop();
}
