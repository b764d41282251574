import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { get as getPlain, type IncomingMessage } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { orch } from './orch-command.ts';

const cwd = mkdtempSync(join(tmpdir(), 'orch-envtest-'));
const running: ChildProcess[] = [];
after(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(cwd, { recursive: true });
});

/** As envtest does: it draws a free port before it starts anything. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

function run(name: string, args: readonly string[]): ChildProcess {
  const child = spawn(join(cwd, "it's", name), args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  return child;
}

async function ended(child: ChildProcess): Promise<unknown> {
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  return (await exit)[0];
}

async function read(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
  return text;
}

async function firstLine(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout !== null);
  const line = once(createInterface({ input: child.stdout }), 'line').then(([text]) => text as string);
  return Promise.race([line, once(child, 'exit').then(([code]) => assert.fail(`it ended with ${String(code)} before it said anything`))]);
}

const fixture = (name: string): string => resolve('test/fixtures/tls', name);

/** An API server as envtest starts it, and what it answers. */
interface Started {
  readonly child: ChildProcess;
  /** A body is sent with POST unless there is another method. */
  ask(path: string, body?: object, method?: string): Promise<readonly [status: number, body: Answered]>;
  /** The answer as it comes in, line by line. */
  lines(path: string): Promise<AsyncIterable<string>>;
}
interface Answered {
  readonly kind: string;
  readonly spec?: object;
}

async function startApiServer(etcdPort: number, more: readonly string[] = [], spell = (flag: string): readonly string[] => [flag]): Promise<Started> {
  const port = await freePort();
  const flags = [
    '--allow-privileged=true', '--authorization-mode=RBAC', '--bind-address=127.0.0.1', `--cert-dir=certs-${port}`, `--client-ca-file=${fixture('ca.crt')}`,
    '--disable-admission-plugins=ServiceAccount', `--etcd-servers=http://127.0.0.1:${etcdPort}`, '--insecure-port=0', `--secure-port=${port}`,
    '--service-account-issuer=https://127.0.0.1/', '--service-cluster-ip-range=10.0.0.0/24', ...more,
  ];
  const child = run('kube-apiserver', flags.flatMap(spell));
  await firstLine(child);
  const shown = { ca: readFileSync(join(cwd, `certs-${port}/apiserver.crt`)), cert: readFileSync(fixture('client.crt')), key: readFileSync(fixture('client.key')) };
  const send = (path: string, options: RequestOptions, body?: object): Promise<IncomingMessage> =>
    new Promise((done, fail) => {
      const headers = { 'content-type': 'application/json' };
      request(`https://127.0.0.1:${port}${path}`, { ...shown, headers, agent: false, ...options }, done).on('error', fail).end(body === undefined ? undefined : JSON.stringify(body));
    });
  return {
    child,
    async ask(path, body, method = body === undefined ? 'GET' : 'POST') {
      const response = await send(path, { method }, body);
      return [response.statusCode ?? 0, JSON.parse(await read(response)) as Answered];
    },
    // Lines that come before anybody asks for them are kept by the iterator alone.
    lines: async (path) => createInterface({ input: await send(path, {}) })[Symbol.asyncIterator](),
  };
}

async function startEtcd(): Promise<readonly [child: ChildProcess, port: number]> {
  const port = await freePort();
  const child = run('etcd', ['--unsafe-no-fsync=true', `--listen-client-urls=http://127.0.0.1:${port}`, '--data-dir=nowhere', '--listen-peer-urls=http://localhost:0']);
  await firstLine(child);
  return [child, port];
}

test('envtest finds in the folder what it starts, and an API server that takes its flags and its certificates', async () => {
  const made = await orch(['envtest', "it's"], { cwd });
  assert.deepEqual(made, { code: 0, out: `KUBEBUILDER_ASSETS=${join(cwd, "it's")}\n`, err: '' });

  for (const name of ['etcd', 'kube-apiserver']) assert.deepEqual(await once(run(name, ['--help']), 'exit'), [0, null]);
  const [etcd, etcdPort] = await startEtcd();
  const health = await new Promise<IncomingMessage>((done, fail) => getPlain(`http://127.0.0.1:${etcdPort}/health`, done).on('error', fail));
  assert.deepEqual([health.statusCode, await read(health)], [200, '{"health":"true"}']);

  const server = await startApiServer(etcdPort);
  const [status, { kind }] = await server.ask('/api/v1/namespaces/default');
  assert.deepEqual([status, kind], [200, 'Namespace']);
  assert.ok(!existsSync(join(cwd, 'orch-data')), 'nothing is left in the folder of the tests');
  assert.deepEqual(await Promise.all([ended(server.child), ended(etcd)]), [0, 0]);
});

test('whoever starts them may write a flag and its value as two words, and flags of etcd with one dash, as kube-api-test does', async () => {
  const etcdPort = await freePort();
  const etcd = run('etcd', ['-data-dir', 'nowhere', '-listen-client-urls', `http://127.0.0.1:${etcdPort}`, '--unsafe-no-fsync']);
  assert.equal(await firstLine(etcd), `stands in for etcd at 127.0.0.1:${etcdPort}`);

  const server = await startApiServer(etcdPort, [], (flag) => (flag.endsWith('=true') ? [flag] : flag.split('=')));
  assert.equal((await server.ask('/api/v1/namespaces/default'))[0], 200);
  assert.ok(!existsSync(join(cwd, 'orch-data')), 'nothing is left in the folder of the tests');
  assert.deepEqual(await Promise.all([ended(server.child), ended(etcd)]), [0, 0]);
});

test('the stand-in for etcd says what it is, and why it cannot listen', async () => {
  const [etcd, port] = await startEtcd();
  const program = join(cwd, "it's", 'etcd');
  const version = spawnSync(program, ['--version'], { encoding: 'utf8' });
  assert.match(version.stdout, /^Stands in for etcd, of orch \d+\.\d+\.\d+\n$/);
  const second = spawnSync(program, [`--listen-client-urls=http://127.0.0.1:${port}`], { encoding: 'utf8' });
  assert.deepEqual([version.status, second.status], [0, 1]);
  assert.equal(second.stderr, `the stand-in for etcd cannot listen at 127.0.0.1:${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`);
  assert.equal(await ended(etcd), 0);
});

test('tests are alone with the API server and finalize their namespaces themselves, unless they ask for controllers', async () => {
  const [etcd, etcdPort] = await startEtcd();
  const [alone, helped] = await Promise.all([startApiServer(etcdPort), startApiServer(etcdPort, ['--controllers=namespace'])]);
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'mine' } };
  const { ask } = alone;
  assert.equal((await ask('/api/v1/namespaces', namespace))[0], 201);
  assert.equal((await ask('/api/v1/namespaces/mine', undefined, 'DELETE'))[0], 200);
  // Controllers that run would be done with it, or in between.
  for (let many = 0; many < 50; many++) assert.equal((await ask('/api/v1/namespaces', { ...namespace, metadata: { name: `other-${many}` } }))[0], 201);
  const [status, live] = await ask('/api/v1/namespaces/mine');
  assert.equal(status, 200);
  assert.equal((await ask('/api/v1/namespaces/mine/finalize', { ...live, spec: { finalizers: [] } }, 'PUT'))[0], 200);
  assert.equal((await ask('/api/v1/namespaces/mine'))[0], 404);

  const events = await helped.lines('/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Dmine');
  assert.equal((await helped.ask('/api/v1/namespaces', namespace))[0], 201);
  assert.equal((await helped.ask('/api/v1/namespaces/mine', undefined, 'DELETE'))[0], 200);
  for await (const line of events) if (line.includes('"DELETED"')) break;
  assert.equal((await helped.ask('/api/v1/namespaces/mine'))[0], 404);
  await Promise.all([alone.child, helped.child, etcd].map(ended));
});

test('where the programs cannot go is told', async () => {
  const nowhere = await orch(['envtest'], { cwd });
  assert.deepEqual([nowhere.code, nowhere.out], [2, '']);
  assert.match(nowhere.err, /orch envtest <folder>/);
});

test('a folder that cannot be made is told', { skip: process.platform === 'linux' ? false : 'there is no /proc' }, async () => {
  const failed = await orch(['envtest', '/proc/envtest'], { cwd });
  assert.deepEqual(failed, { code: 2, out: '', err: "orch: cannot write to /proc/envtest: ENOENT: no such file or directory, mkdir '/proc/envtest'\norch envtest --help says how it is used.\n" });
});

const others: readonly (readonly [name: string, place: (path: string) => void])[] = [
  ['a program of others', (path) => writeFileSync(path, 'a real etcd')],
  ['a link to one', (path) => symlinkSync('../real-etcd', path)],
  ['a link to nothing', (path) => symlinkSync('nowhere', path)],
  ['a folder', (path) => mkdirSync(path)],
];
for (const [at, [name, place]] of others.entries()) {
  test(`${name} stays as it is, and nothing is written beside it`, async () => {
    const folder = join(cwd, `others-${at}`);
    mkdirSync(folder);
    writeFileSync(join(cwd, 'real-etcd'), 'a real etcd');
    place(join(folder, 'etcd'));
    const refused = await orch(['envtest', `others-${at}`], { cwd });
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.equal(refused.err, `orch: others-${at}/etcd was not made by orch envtest and stays as it is: move it away, or give another folder\n`);
    assert.deepEqual(readdirSync(folder), ['etcd']);
    assert.equal(readFileSync(join(cwd, 'real-etcd'), 'utf8'), 'a real etcd');
  });
}

test('programs that orch envtest made are made anew', async () => {
  for (const _ of ['first', 'again']) assert.equal((await orch(['envtest', 'anew'], { cwd })).code, 0);
  assert.deepEqual(readdirSync(join(cwd, 'anew')).sort(), ['etcd', 'kube-apiserver']);
});
