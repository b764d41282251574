import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestServer, type TestServer } from '#testing';

/**
 * What a quota costs those who create pods: the rate of as many clients with and without one, side by side in the same server on a durable
 * store, and the processor time of each pod. Bar: with 200 clients no less than half the rate. Ends with 200 clients who want 2,000 pods
 * where a quota has room for 1,000. Runs for some seconds.
 */
const ROUNDS = 3;
const PODS = 2_000;

interface Measured {
  readonly perSecond: number;
  readonly cpuUs: number;
}

const folder = mkdtempSync(path.join(tmpdir(), 'orch-bench-'));
const server = await startTestServer({ store: `lmdb://${folder}`, controllers: 'none' });
try {
  for (const clients of [1, 16, 200]) await compare(clients);
  await makeNamespace('full', 1_000);
  const codes = await createAll('full', 200, PODS);
  const succeeded = codes.filter((code) => code === 201).length;
  console.log(`200 clients want ${PODS} pods, a quota has room for 1000: ${succeeded} succeed, ${codes.filter((code) => code === 403).length} are refused`);
} finally {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}

async function compare(clients: number): Promise<void> {
  const pods = clients === 1 ? PODS / 10 : PODS;
  const best: Record<'free' | 'limited', Measured | undefined> = { free: undefined, limited: undefined };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const which of ['free', 'limited'] as const) {
      const namespace = `${which}-${clients}-${round}`;
      await makeNamespace(namespace, which === 'free' ? undefined : pods);
      const measured = await measure(namespace, clients, pods);
      // The first round warms up.
      if (round > 0 && measured.perSecond > (best[which]?.perSecond ?? 0)) best[which] = measured;
    }
  }
  const { free, limited } = best;
  if (free === undefined || limited === undefined) return;
  const [rate, cpu] = [limited.perSecond / free.perSecond, limited.cpuUs / free.cpuUs];
  const told = [free, limited].map(({ perSecond, cpuUs }) => `${perSecond.toFixed(0)} pods/s, ${cpuUs.toFixed(0)} µs CPU`);
  console.log(`${String(clients).padStart(3)} clients: without ${told[0]}; with a quota ${told[1]}: rate × ${rate.toFixed(2)}, CPU × ${cpu.toFixed(2)}`);
}

async function measure(namespace: string, clients: number, pods: number): Promise<Measured> {
  const cpu = process.cpuUsage();
  const startedMs = performance.now();
  const codes = await createAll(namespace, clients, pods);
  const tookMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(cpu);
  const wrong = codes.find((code) => code !== 201);
  if (wrong !== undefined) throw new Error(`creating a pod answers ${wrong}`);
  return { perSecond: (pods / tookMs) * 1000, cpuUs: (user + system) / pods };
}

/** Each client creates one pod after the other, until there are enough. */
async function createAll(namespace: string, clients: number, pods: number): Promise<readonly number[]> {
  const codes: number[] = [];
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < pods) {
      const { status } = await server.request('POST', `/api/v1/namespaces/${namespace}/pods`, podOf(next++));
      codes.push(status);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return codes;
}

function podOf(index: number): object {
  const resources = { requests: { cpu: '1m', memory: '1Mi' } };
  return { metadata: { name: `p${index}` }, spec: { containers: [{ name: 'c', image: 'i', resources }] } };
}

async function makeNamespace(name: string, pods: number | undefined): Promise<void> {
  const all = '/api/v1/namespaces';
  await made(server.request('POST', all, { metadata: { name } }));
  await made(server.request('POST', `${all}/${name}/serviceaccounts`, { metadata: { name: 'default' } }));
  if (pods === undefined) return;
  const hard = { pods: String(pods), 'requests.cpu': '1k', 'requests.memory': '1Ti' };
  await made(server.request('POST', `${all}/${name}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } }));
  const used = Object.fromEntries(Object.keys(hard).map((one) => [one, '0']));
  await made(server.patch('merge', `${all}/${name}/resourcequotas/q/status`, { status: { hard, used } }));
}

async function made(answer: ReturnType<TestServer['request']>): Promise<void> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(text);
}
