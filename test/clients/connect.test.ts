// Real kubectl through the server to containers: the server connects to the node's agent and hands the connection on, whatever is spoken there.
import assert from 'node:assert/strict';
import { createServer as createWeb, type Server as WebServer } from 'node:http';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer, connect, type AddressInfo, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { newAuthority, type Pair } from '../support/certificates.ts';
import { startServerProcess, type ServerProcess } from '../support/server-process.ts';
import { kubectl, type Kubectl } from './kubectl-command.ts';
import { startStandInKubelet, type StandInKubelet } from './stand-in-kubelet.ts';

/** What each release speaks with an agent that knows it all, and with one that only knows SPDY. */
const RELEASES = { '1.23': 'SPDY/3.1', '1.28': 'SPDY/3.1', '1.35': 'websocket' };

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'orch-connect-'));
const kubelets: StandInKubelet[] = [];
let server: ServerProcess;
let admin: Kubectl;
let web: WebServer;
let echo: Server;

const portOf = (one: Server): number => (one.address() as AddressInfo).port;
const last = (kubelet: number): string => kubelets[kubelet]?.asked.at(-1) ?? '';

before(async () => {
  const nodes = await newAuthority('nodes');
  const callers = await newAuthority('callers');
  const serving = await nodes.issue('system:node:n', ['127.0.0.1']);
  const client = await callers.issue('kube-apiserver-kubelet-client', [], ['system:masters']);
  for (const hasWebSocket of [true, false]) kubelets.push(await startStandInKubelet({ serving, authority: callers.cert, folder, hasWebSocket }));
  server = await startServerProcess({ flags: ['--dialect', 'kubernetes', '--store', 'memory://', '--controllers', 'none', ...certificateFlags(nodes.cert, client)] });
  admin = kubectl('1.28', server.kubeconfig);
  web = createWeb((request, response) => void request.pipe(response.writeHead(200, { 'x-seen': `${request.method} ${request.url}` }))).listen(0);
  echo = createServer((socket) => void socket.pipe(socket)).listen(0, '127.0.0.1');
  await Promise.all([once(web, 'listening'), once(echo, 'listening')]);
  for (const [at, { port }] of kubelets.entries()) await makeNode(`n${at}`, port);
});

after(async () => {
  admin.close();
  await Promise.all(kubelets.map((kubelet) => kubelet.close()));
  for (const one of [web, echo]) one.close();
  assert.equal(await server.stop(), 0, 'tunnels do not keep the server');
  fs.rmSync(folder, { recursive: true });
});

function certificateFlags(authority: string, { cert, key }: Pair): string[] {
  const files = { 'kubelet-certificate-authority': authority, 'kubelet-client-certificate': cert, 'kubelet-client-key': key };
  const written = Object.entries(files).map(([flag, text]) => {
    fs.writeFileSync(path.join(folder, flag), text);
    return `--${flag}=${path.join(folder, flag)}`;
  });
  return [...written, '--allow-proxy-to-local-addresses'];
}

const put = (where: string, object: object): Promise<string> => admin.run(['replace', '--raw', where, '-f', '-'], JSON.stringify(object));

/** A node with an agent on that port, and a running pod `p-<node>` with a container. */
async function makeNode(name: string, port: number): Promise<void> {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name } };
  await admin.run(['create', '-f', '-'], JSON.stringify(node));
  const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
  await put(`/api/v1/nodes/${name}/status`, { ...node, status: { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } } });
  const metadata = { name: `p-${name}`, namespace: 'default' };
  const containers = [{ name: 'c', image: 'i', ports: [{ containerPort: portOf(web) }] }];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { nodeName: name, automountServiceAccountToken: false, containers } };
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'default' } };
  await admin.run(['apply', '-f', '-'], JSON.stringify(account));
  await admin.run(['create', '-f', '-'], JSON.stringify(pod));
  const podIPs = [{ ip: '127.0.0.1' }];
  await put(`/api/v1/namespaces/default/pods/${metadata.name}/status`, { ...pod, status: { phase: 'Running', podIP: '127.0.0.1', podIPs } });
}

for (const [release, spoken] of Object.entries(RELEASES)) {
  describe(`kubectl ${release}`, () => {
    let client: Kubectl;
    before(() => {
      client = kubectl(release, server.kubeconfig);
    });
    after(() => client.close());

    for (const [kubelet, protocol] of [spoken, 'SPDY/3.1'].entries()) {
      const pod = `p-n${kubelet}`;
      const name = `${protocol} to an agent that speaks ${kubelet === 0 ? 'both protocols' : 'SPDY only'}`;

      test(`exec over ${name}: both outputs, input to its end, and the exit code`, async () => {
        const done = await client.attempt(['exec', '-i', pod, '--', 'sh', '-c', 'cat; echo wrong >&2; exit 3'], 'some\ninput');
        assert.deepEqual([done.code, done.out], [3, 'some\ninput']);
        assert.match(done.err, /^wrong$/m);
        assert.ok(last(kubelet).endsWith(protocol), last(kubelet));
        assert.match(last(kubelet), /\/exec\/default\/p-n\d\/c\?command=sh&command=-c&command=cat.*&input=1&output=1&error=1/);
        assert.equal(await client.run(['exec', pod, '--', 'echo', 'a b', 'c&d']), 'a b c&d\n');
      });

      test(`exec over ${name}: a megabyte each way, byte for byte`, async () => {
        const text = `${'0123456789abcde\n'.repeat(65_536)}end`;
        assert.equal(await client.run(['exec', '-i', pod, '--', 'cat'], text), text);
      });

      test(`cp over ${name}: a folder there and back`, async () => {
        const near = path.join(folder, `near-${release}-${kubelet}`);
        fs.mkdirSync(path.join(near, 'sub'), { recursive: true });
        fs.mkdirSync(path.join(folder, 'there'), { recursive: true });
        fs.writeFileSync(path.join(near, 'sub/file'), 'copied');
        await client.run(['cp', near, `${pod}:${folder}/there`]);
        assert.equal(fs.readFileSync(path.join(folder, 'there', path.basename(near), 'sub/file'), 'utf8'), 'copied');
        await client.run(['cp', `${pod}:${near}/sub`, `${near}/back`]);
        assert.equal(fs.readFileSync(path.join(near, 'back/file'), 'utf8'), 'copied');
      });

      test(`attach over ${name}: what is typed is heard`, async () => {
        assert.match(await client.run(['attach', '-i', pod, '-c', 'c'], 'typed\n'), /typed\n$/);
        assert.ok(last(kubelet).endsWith(protocol));
      });
    }

    test('port-forward carries several connections at once', async () => {
      const forward = client.follow(['port-forward', 'p-n0', `:${portOf(echo)}`, '--address', '127.0.0.1']);
      const [, port] = /127\.0\.0\.1:(\d+) ->/.exec(await forward.nextLine()) ?? [];
      const answers = await Promise.all(['one', 'two', 'three'].map((text) => echoed(Number(port), text)));
      await forward.stop();
      assert.deepEqual(answers, ['one', 'two', 'three']);
    });

    test('logs, and logs -f line by line', async () => {
      assert.equal(await client.run(['logs', 'p-n0']), 'first line\nlast line\n');
      assert.equal(await client.run(['logs', 'p-n0', '--tail', '5', '--timestamps']), 'first line\nlast line\n');
      assert.match(last(0), /^GET \/containerLogs\/default\/p-n0\/c\?.*timestamps=true/);
      const lines = client.follow(['logs', '-f', 'p-n0']);
      assert.equal(await lines.nextLine(), 'first line');
      for (const line of ['second line', 'third line']) {
        kubelets[0]?.say(line);
        assert.equal(await lines.nextLine(), line);
      }
      await lines.stop();
    });

    test('proxies to a node and a pod are HTTP both ways', async () => {
      const raw = (where: string): Promise<string> => client.run(['get', '--raw', where]);
      assert.equal(await raw('/api/v1/nodes/n0/proxy/pods?limit=1'), 'GET /pods?limit=1 at the node');
      const pod = '/api/v1/namespaces/default/pods';
      assert.equal(await client.run(['create', '--raw', `${pod}/p-n0/proxy/a/b?c=d`, '-f', '-'], '{"x":1}'), '{"x":1}');
      assert.equal(await client.run(['create', '--raw', `${pod}/http:p-n0:${portOf(web)}/proxy/a/b`, '-f', '-'], '{"x":2}'), '{"x":2}');
    });
  });
}

/** Sends a text and ends; resolves to what comes back. */
async function echoed(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(text);
  let heard = '';
  while (heard.length < text.length) heard += String(((await once(socket, 'data')) as [Buffer])[0]);
  socket.end();
  await once(socket, 'close');
  return heard;
}

/** Endpoints may not be addresses of the loopback, so the back end of a service is reached by another address of this machine. */
const ownAddress = Object.values(os.networkInterfaces()).flatMap((all) => all ?? []).find(({ internal, family }) => !internal && family === 'IPv4')?.address;

test('a proxy to a service finds its endpoint by the name or the number of the port', { skip: ownAddress === undefined && 'only a loopback' }, async () => {
  const metadata = { name: 'web', namespace: 'default' };
  const ports = [{ name: 'main', port: 80 }, { name: 'side', port: 81 }];
  await admin.run(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata, spec: { ports } }));
  const behind = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'behind', namespace: 'default' }, spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] } };
  await admin.run(['create', '-f', '-'], JSON.stringify(behind));
  await put('/api/v1/namespaces/default/pods/behind/status', { ...behind, status: { phase: 'Running', podIP: ownAddress, podIPs: [{ ip: ownAddress }] } });
  const subsets = [{ addresses: [{ ip: ownAddress, targetRef: { kind: 'Pod', namespace: 'default', name: 'behind' } }], ports: [{ name: 'main', port: portOf(web) }, { name: 'side', port: portOf(echo) }] }];
  await admin.run(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'Endpoints', metadata, subsets }));
  for (const name of ['web:main', 'web:80', 'http:web:main']) {
    const where = `/api/v1/namespaces/default/services/${name}/proxy/some/path?x=y`;
    assert.equal(await admin.run(['create', '--raw', where, '-f', '-'], `{"to":"${name}"}`), `{"to":"${name}"}`);
  }
  const unnamed = await admin.attempt(['get', '--raw', '/api/v1/namespaces/default/services/web/proxy/']);
  assert.equal(unnamed.code, 1);
});
