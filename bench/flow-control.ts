/**
 * What one greedy client does to another: p99 of a user that asks for one object at a time, alone and beside another user that keeps 64 requests
 * open all the time. Without flow control a turn of the server belongs to whoever has most connections.
 * Server and greedy client are processes of their own.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { Agent, request } from 'node:http';
import { startServer } from '#server';
import { pause } from './served/pause.ts';

const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 3);
const WARM_UP_SECONDS = 1;
const GREEDY_CONNECTIONS = 64;
const PAUSE_MS = 2;
const MAP = '/api/v1/namespaces/default/configmaps/one';

const told = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once('message', resolve));
const text = (sorted: readonly number[], part: number): string => `${(sorted[Math.floor(sorted.length * part)] ?? NaN).toFixed(2)} ms`;

const [role, port] = process.argv.slice(2);
if (role === 'server') await serve(port === 'fair');
else if (role === 'greedy') greed(Number(port));
else await compare();

async function serve(isFair: boolean): Promise<void> {
  const tokens = 'admintoken,admin,a,"system:masters"\ngreedytoken,greedy,g\nmodesttoken,modest,m\n';
  const server = await startServer({ tokens, controllers: 'none', flowControl: { isFair, maxReading: 0, maxChanging: isFair ? 600 : 0 } });
  const headers = { authorization: 'Bearer admintoken', 'content-type': 'application/json' };
  const post = async (path: string, object: object): Promise<unknown> => server.exchange({ method: 'POST', path, headers, body: JSON.stringify(object) });
  await post('/api/v1/namespaces/default/configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data: { a: 'x'.repeat(900) } });
  const group = 'rbac.authorization.orch.io';
  const subjects = ['greedy', 'modest'].map((name) => ({ kind: 'User', apiGroup: group, name }));
  const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' };
  await post(`/apis/${group}/v1/clusterrolebindings`, { apiVersion: `${group}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'all' }, roleRef, subjects });
  process.send?.(server.port);
  process.once('message', () => void server.close().then(() => process.disconnect()));
}

function greed(target: number): void {
  const agent = new Agent({ keepAlive: true, maxSockets: GREEDY_CONNECTIONS });
  let isOver = false;
  let answered = 0;
  const next = (): void => void ask(target, 'greedytoken', agent).then((status) => {
    if (status === 200) answered++;
    if (!isOver) next();
  }, () => {});
  for (let connection = 0; connection < GREEDY_CONNECTIONS; connection++) next();
  process.once('message', () => {
    isOver = true;
    process.send?.(answered, () => process.exit(0));
  });
}

function ask(target: number, token: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ port: target, host: '127.0.0.1', path: MAP, agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function compare(): Promise<void> {
  for (const kind of ['fair', 'unfair']) {
    const server = fork(import.meta.filename, ['server', kind]);
    const target = Number(await told(server));
    await modest(target, WARM_UP_SECONDS);
    const alone = await modest(target, SECONDS);
    const greedy = fork(import.meta.filename, ['greedy', String(target)]);
    await pause(WARM_UP_SECONDS * 1000);
    const beside = await modest(target, SECONDS);
    greedy.send('stop');
    const answered = Number(await told(greedy));
    const ratio = (beside[Math.floor(beside.length * 0.99)] ?? NaN) / (alone[Math.floor(alone.length * 0.99)] ?? NaN);
    console.log(
      `${kind === 'fair' ? 'priority levels' : 'no flow control'}  alone p50 ${text(alone, 0.5)} p99 ${text(alone, 0.99)}  beside a greedy one p50 ${text(beside, 0.5)} p99 ${text(beside, 0.99)}  (greedy: ${Math.round(answered / (SECONDS + WARM_UP_SECONDS))}/s)  p99 beside / alone: ${ratio.toFixed(2)}`,
    );
    server.send('stop');
    await new Promise((resolve) => server.once('exit', resolve));
  }
}

/** Milliseconds of its requests, in order of length. */
async function modest(target: number, seconds: number): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const took: number[] = [];
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    const startedAt = performance.now();
    if ((await ask(target, 'modesttoken', agent)) === 200) took.push(performance.now() - startedAt);
    await pause(PAUSE_MS);
  }
  agent.destroy();
  return took.sort((a, b) => a - b);
}
