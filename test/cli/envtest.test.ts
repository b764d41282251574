import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get as getPlain } from 'node:http';
import { get, type RequestOptions } from 'node:https';
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

const answerTo = (url: string, options: RequestOptions, how: typeof get | typeof getPlain): Promise<readonly [status: number, body: string]> =>
  new Promise((done, fail) => {
    how(url, options, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => (body += text));
      response.on('end', () => done([response.statusCode ?? 0, body]));
    }).on('error', fail);
  });

async function firstLine({ stdout }: ChildProcess): Promise<void> {
  assert.ok(stdout !== null);
  await once(createInterface({ input: stdout }), 'line');
}

test('envtest finds in the folder what it starts, and an API server that takes its flags and its certificates', async () => {
  const made = await orch(['envtest', "it's"], { cwd });
  assert.deepEqual(made, { code: 0, out: `KUBEBUILDER_ASSETS=${join(cwd, "it's")}\n`, err: '' });

  for (const name of ['etcd', 'kube-apiserver']) assert.deepEqual(await once(run(name, ['--help']), 'exit'), [0, null]);
  const [etcdPort, port] = [await freePort(), await freePort()];
  const etcd = run('etcd', ['--unsafe-no-fsync=true', `--listen-client-urls=http://127.0.0.1:${etcdPort}`, '--data-dir=nowhere', '--listen-peer-urls=http://localhost:0']);
  await firstLine(etcd);
  assert.deepEqual(await answerTo(`http://127.0.0.1:${etcdPort}/health`, {}, getPlain), [200, '{"health":"true"}']);

  const fixture = (name: string): string => resolve('test/fixtures/tls', name);
  const server = run('kube-apiserver', [
    '--allow-privileged=true', '--authorization-mode=RBAC', '--bind-address=127.0.0.1', '--cert-dir=certs', `--client-ca-file=${fixture('ca.crt')}`,
    '--disable-admission-plugins=ServiceAccount', `--etcd-servers=http://127.0.0.1:${etcdPort}`, '--insecure-port=0', `--secure-port=${port}`,
    '--service-account-issuer=https://127.0.0.1/', '--service-cluster-ip-range=10.0.0.0/24',
  ]);
  await firstLine(server);
  const ca = readFileSync(join(cwd, 'certs/apiserver.crt'));
  const asked = await answerTo(`https://127.0.0.1:${port}/api/v1/namespaces/default`, { ca, cert: readFileSync(fixture('client.crt')), key: readFileSync(fixture('client.key')), agent: false }, get);
  assert.deepEqual([asked[0], (JSON.parse(asked[1]) as { kind: string }).kind], [200, 'Namespace']);
  assert.ok(!existsSync(join(cwd, 'orch-data')), 'nothing is left in the folder of the tests');
  assert.deepEqual(await Promise.all([ended(server), ended(etcd)]), [0, 0]);
});

test('where the programs cannot go is told', async () => {
  const nowhere = await orch(['envtest'], { cwd });
  assert.deepEqual([nowhere.code, nowhere.out], [2, '']);
  assert.match(nowhere.err, /orch envtest <folder>/);
});
