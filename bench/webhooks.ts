import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestServer, type TestServer } from '#testing';
import { WebhookServer, allowing } from '../test/support/webhook-server.ts';

/**
 * What webhooks cost a write, side by side in the same server on a durable store. Bars: one that answers in 1 ms adds less than 3 ms at p50;
 * ten whose rules do not match add under 2 % of processor time. The webhooks run in a process of their own. Runs for some seconds.
 */
const ANSWER_MS = 1;
const [WRITES, ROUNDS] = [500, 8];
let next = 0;
const CONFIGURATIONS = '/apis/admissionregistration.orch.io/v1';

if (process.argv.includes('--serve')) await serve();
else await measureAll();

/** Tells on one line where it listens, and runs until nobody holds its standard input. */
async function serve(): Promise<void> {
  const server = await WebhookServer.start();
  const answer = allowing();
  const { url, caBundle } = server.at('/', (heard, response) => {
    server.heard.length = 0;
    setTimeout(() => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(heard, response))), ANSWER_MS);
  });
  process.stdout.write(`${JSON.stringify({ url, caBundle })}\n`);
  process.stdin.resume().on('end', () => void server.close());
}

async function measureAll(): Promise<void> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--serve'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await child.stdout.take(1).toArray()) as [Buffer];
  const clientConfig = JSON.parse(line.toString('utf8')) as object;
  const folder = mkdtempSync(path.join(tmpdir(), 'orch-bench-'));
  const server = await startTestServer({ store: `lmdb://${folder}`, controllers: 'none' });
  try {
    await measureElsewhere(server, clientConfig);
    await measureOne(server, clientConfig);
  } finally {
    await server.close();
    child.stdin.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Ten webhooks of each kind, whose rules are about something else. */
async function measureElsewhere(server: TestServer, clientConfig: object): Promise<void> {
  const [without, withTen] = await compare(server, async () => {
    const rules = [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: ['deployments', 'statefulsets'] }];
    return register(server, Array.from({ length: 10 }, (_, at) => ({ ...webhookOf(clientConfig), name: `w${at}.example.com`, rules })));
  });
  const more = (pick: (sample: Sample) => number): string => `${((pick(withTen) / pick(without) - 1) * 100).toFixed(1)} %`;
  console.log(`ten that do not match: ${without.cpuUs.toFixed(0)} µs CPU for a write without, ${withTen.cpuUs.toFixed(0)} with: ${more(({ cpuUs }) => cpuUs)} more CPU (bar 2 %)`);
}

async function measureOne(server: TestServer, clientConfig: object): Promise<void> {
  for (const kind of ['Mutating', 'Validating'] as const) {
    const [without, withOne] = await compare(server, () => register(server, [webhookOf(clientConfig)], [kind]));
    const told = [without, withOne].map(({ p50Ms, cpuUs }) => `${p50Ms.toFixed(2)} ms, ${cpuUs.toFixed(0)} µs CPU`);
    console.log(`one ${kind.toLowerCase()} that answers in ${ANSWER_MS} ms: without ${told[0]}; with ${told[1]}: ${(withOne.p50Ms - without.p50Ms).toFixed(2)} ms more at p50 (bar 3 ms)`);
  }
}

interface Sample {
  readonly p50Ms: number;
  readonly cpuUs: number;
}

/** Turn by turn, so that both see the same machine; the best turn of each counts. */
async function compare(server: TestServer, install: () => Promise<() => Promise<void>>): Promise<readonly [Sample, Sample]> {
  const turns: [Sample[], Sample[]] = [[], []];
  await sample(server);
  for (let round = 0; round < ROUNDS; round++) {
    turns[0].push(await sample(server));
    const uninstall = await install();
    turns[1].push(await sample(server));
    await uninstall();
  }
  const least = (samples: readonly Sample[], pick: (one: Sample) => number): number => Math.min(...samples.map(pick));
  const best = (samples: readonly Sample[]): Sample => ({ p50Ms: least(samples, ({ p50Ms }) => p50Ms), cpuUs: least(samples, ({ cpuUs }) => cpuUs) });
  return [best(turns[0]), best(turns[1])];
}

async function sample(server: TestServer): Promise<Sample> {
  const tookMs: number[] = [];
  const cpu = process.cpuUsage();
  for (let at = 0; at < WRITES; at++) {
    const startedMs = performance.now();
    const { status, text } = await server.request('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: `x${next++}` }, data: { a: '1' } });
    if (status !== 201) throw new Error(text);
    tookMs.push(performance.now() - startedMs);
  }
  const { user, system } = process.cpuUsage(cpu);
  tookMs.sort((a, b) => a - b);
  return { p50Ms: tookMs[WRITES / 2] ?? 0, cpuUs: (user + system) / WRITES };
}

function webhookOf(clientConfig: object): object {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  return { name: 'w.example.com', clientConfig, rules, sideEffects: 'None', admissionReviewVersions: ['v1'] };
}

/** Registers them; answers with what takes them away. */
async function register(server: TestServer, webhooks: readonly object[], kinds: readonly string[] = ['Mutating', 'Validating']): Promise<() => Promise<void>> {
  const paths = kinds.map((kind) => `${CONFIGURATIONS}/${kind.toLowerCase()}webhookconfigurations`);
  for (const each of paths) {
    const { status, text } = await server.request('POST', each, { metadata: { name: 'bench' }, webhooks });
    if (status !== 201) throw new Error(text);
  }
  return async () => {
    for (const each of paths) await server.request('DELETE', `${each}/bench`);
  };
}
