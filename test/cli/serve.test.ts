import assert from 'node:assert/strict';
import { once } from 'node:events';
import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { request } from 'node:https';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { connect } from 'node:tls';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import { WebhookServer } from '../support/webhook-server.ts';
import { linesOf, orch, start } from './orch-command.ts';

const cwd = mkdtempSync(join(tmpdir(), 'orch-serve-'));
after(() => rmSync(cwd, { recursive: true }));

const fixture = (name: string): string => resolve('test/fixtures/tls', name);
const FREE = ['serve', '--secure-port=0'];

describe('orch serve', () => {
  test('says how to connect, works without a kubeconfig flag beside it, and ends with 0 at SIGTERM', async () => {
    const server = start([...FREE, '--data_dir=orch-data', '--external-hostname=api.example.com'], { cwd });
    const exit = once(server, 'exit');
    assert.match(await linesOf(server)(), /^orch serves https:\/\/127\.0\.0\.1:\d+ \(orch names\), ready after \d+ ms$/);
    const shown = new X509Certificate(readFileSync(join(cwd, 'orch-data', 'pki', 'apiserver.crt')));
    for (const name of ['localhost', 'api.example.com', 'orch.default.svc']) assert.equal(shown.checkHost(name), name);
    assert.equal(shown.checkIP('10.0.0.1'), '10.0.0.1');
    const namespaces = await orch(['get', 'ns', '-o', 'name'], { cwd });
    assert.deepEqual(namespaces, { code: 0, out: 'namespace/default\nnamespace/orch-node-lease\nnamespace/orch-public\nnamespace/orch-system\n', err: '' });
    const second = await orch([...FREE, '--data-dir=orch-data'], { cwd });
    assert.equal(second.code, 1);
    assert.match(second.err, new RegExp(`^orch: the store .* is in use by process ${server.pid}: stop it first`));
    server.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
  });

  test('says that it makes an empty store where one of the other dialect lies beside it, once', async () => {
    const told: string[] = [];
    for (const dialect of ['kubernetes', 'orch', 'orch']) {
      const server = start([...FREE, '--data-dir=both', `--dialect=${dialect}`, '--controllers=none'], { cwd });
      let err = '';
      server.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
      const closed = once(server, 'close');
      await linesOf(server)();
      server.kill('SIGTERM');
      assert.deepEqual(await closed, [0, null]);
      told.push(err);
    }
    assert.deepEqual(told, ['', 'orch: both has a store of the dialect kubernetes and none of orch: an empty one is made. --dialect=kubernetes serves what there is\n', '']);
  });

  test('says at which port it speaks plain HTTP, where any free one will do', async () => {
    const server = start([...FREE, '--insecure-port=0', '--store=memory://', '--data-dir=plain'], { cwd });
    const exit = once(server, 'exit');
    const line = linesOf(server);
    await line();
    const [, url = ''] = /^and (http:\/\/127\.0\.0\.1:\d+), without encryption$/.exec(await line()) ?? [];
    assert.equal((await fetch(`${url}/version`)).status, 200);
    server.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
  });

  test('a reader that goes away does not end the server', async () => {
    const server = start([...FREE, '--store=memory://', '--data-dir=piped'], { cwd });
    const exit = once(server, 'exit');
    await linesOf(server)();
    server.stdout.destroy();
    server.stderr.destroy();
    const namespaces = await orch(['get', 'ns', '-o', 'name', '--kubeconfig', 'piped/kubeconfig'], { cwd });
    assert.equal(namespaces.code, 0, namespaces.err);
    server.kill('SIGINT');
    assert.deepEqual(await exit, [0, null]);
  });

  test('a signal that programs which rotate logs send by habit opens no debugger', async () => {
    const server = start([...FREE, '--store=memory://', '--data-dir=signalled'], { cwd });
    let err = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const closed = once(server, 'close');
    await linesOf(server)();
    server.kill('SIGUSR1');
    const namespaces = await orch(['get', 'ns', '-o', 'name', '--kubeconfig', 'signalled/kubeconfig'], { cwd });
    assert.equal(namespaces.code, 0, namespaces.err);
    server.kill('SIGTERM');
    assert.deepEqual([await closed, err], [[0, null], '']);
  });

  test('the first signal waits for requests under way, the second one does not', async () => {
    const server = start([...FREE, '--store=memory://', '--data-dir=patient', '--shutdown-grace-seconds=600'], { cwd });
    const exit = once(server, 'exit');
    const [url = ''] = /https:\/\/\S+/.exec(await linesOf(server)()) ?? [];
    const headers = { authorization: `Bearer ${readFileSync(join(cwd, 'patient/pki/admin.token'), 'utf8').trim()}`, 'content-length': 10, expect: '100-continue' };
    const unfinished = request(`${url}/api/v1/namespaces`, { method: 'POST', headers, rejectUnauthorized: false, agent: false });
    unfinished.on('error', () => {});
    unfinished.flushHeaders();
    await once(unfinished, 'continue');
    server.kill('SIGINT');
    server.kill('SIGTERM');
    const [, signal] = (await exit) as [number | null, string];
    assert.ok(['SIGINT', 'SIGTERM'].includes(signal), signal);
    unfinished.destroy();
  });

  test('workers may take longer to stop than timers of Node.js last', async () => {
    const server = start([...FREE, '--data-dir=slow-to-stop', '--workers=2', '--shutdown-delay-duration=600h'], { cwd });
    const exit = once(server, 'exit');
    let err = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const [url = ''] = /https:\/\/\S+/.exec(await linesOf(server)()) ?? [];
    const status = async (path: string): Promise<number | undefined> => {
      const asked = request(`${url}${path}`, { rejectUnauthorized: false, agent: false }).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    server.kill('SIGTERM');
    while ((await status('/readyz')) !== 500);
    assert.deepEqual([await status('/livez'), err], [200, '']);
    server.kill('SIGTERM');
    assert.deepEqual(await exit, [null, 'SIGTERM']);
  });

  test('R6 workers that stop have the time to deliver the audit events that wait', async (t) => {
    const sink = await WebhookServer.start();
    t.after(() => sink.close());
    const cut: ServerResponse[] = [];
    // The first attempt is cut off three seconds after the signal, the second is answered soon before that: they take longer than to stop without any.
    sink.at('/audit', (_heard, response) => {
      if (cut.push(response) > 1) setTimeout(() => response.end('{}'), 2_200);
    });
    const clusters = [{ name: 'audit', cluster: { server: `https://127.0.0.1:${sink.port}/audit`, 'certificate-authority-data': sink.caBundle } }];
    const config = { apiVersion: 'v1', kind: 'Config', clusters, contexts: [{ name: 'audit', context: { cluster: 'audit', user: '' } }], 'current-context': 'audit' };
    writeFileSync(join(cwd, 'audit-sink'), JSON.stringify(config));
    writeFileSync(join(cwd, 'audit-policy'), JSON.stringify({ apiVersion: 'audit.orch.io/v1', kind: 'Policy', rules: [{ level: 'Metadata', omitStages: ['RequestReceived'], nonResourceURLs: ['/version'] }, { level: 'None' }] }));
    const audit = ['--audit-policy-file=audit-policy', '--audit-webhook-config-file=audit-sink', '--audit-webhook-batch-max-size=1'];
    const server = start([...FREE, '--data-dir=audited', '--workers=2', '--controllers=none', '--shutdown-grace-seconds=0', ...audit], { cwd });
    const exit = once(server, 'exit');
    let err = '';
    server.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    const [url = ''] = /https:\/\/\S+/.exec(await linesOf(server)()) ?? [];
    const heard = new Promise<void>((resolveHeard) => (sink.onHeard = () => resolveHeard()));
    const asked = request(`${url}/version`, { rejectUnauthorized: false, agent: false }).end();
    await once(asked, 'response');
    await heard;
    server.kill('SIGTERM');
    assert.deepEqual([await exit, err, sink.reviewsAt('/audit').length], [[0, null], '', 2]);
  });

  for (const [flag, outcome] of [['--workers=1', [null, 'SIGTERM']], ['--workers=2', [0, null]]] as const) {
    test(`a start that waits for its store says so, and a signal ends it, with ${flag}`, async () => {
      const silent = createServer(() => {}).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const asked = once(silent, 'connection');
      const { port } = silent.address() as AddressInfo;
      const server = start([...FREE, `--etcd-servers=http://127.0.0.1:${port}`, '--data-dir=waiting', flag], { cwd });
      const exit = once(server, 'exit');
      const [socket] = (await asked) as [Socket];
      assert.deepEqual(await once(server.stderr.setEncoding('utf8'), 'data'), [`orch: still waiting for etcd, at 127.0.0.1:${port}\n`]);
      server.kill('SIGTERM');
      assert.deepEqual(await exit, outcome);
      socket.destroy();
      silent.close();
    });
  }

  for (const [title, isFilled] of [['the certificate in the folder of --cert-dir is served', true], ['an empty folder of --cert-dir gets the own certificate', false]] as const) {
    test(title, async () => {
      const folder = join(cwd, `certs-${isFilled}`);
      mkdirSync(folder);
      if (isFilled) for (const end of ['crt', 'key']) copyFileSync(fixture(`server.${end}`), join(folder, `apiserver.${end}`));
      const server = start([...FREE, '--store=memory://', '--data-dir=certified', `--cert-dir=${folder}`], { cwd });
      const exit = once(server, 'exit');
      const { port } = new URL(/https:\/\/[^ ]+/.exec(await linesOf(server)())?.[0] ?? '');
      const kept = readFileSync(join(folder, 'apiserver.crt'));
      const socket = connect({ host: '127.0.0.1', port: Number(port), ...(isFilled ? { rejectUnauthorized: false } : { ca: kept }) });
      await once(socket, 'secureConnect');
      assert.equal(socket.getPeerCertificate().fingerprint256, new X509Certificate(kept).fingerprint256);
      socket.destroy();
      server.kill('SIGTERM');
      assert.deepEqual(await exit, [0, null]);
    });
  }

  test('what the file of --encryption-provider-config names is encrypted on the disk, and nothing else', async () => {
    const secret = Buffer.alloc(32, 7).toString('base64');
    const provider = { aesgcm: { keys: [{ name: 'key1', secret }] } };
    const config = { kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', resources: [{ resources: ['secrets'], providers: [provider, { identity: {} }] }] };
    writeFileSync(join(cwd, 'encryption.json'), JSON.stringify(config));
    const server = start([...FREE, '--dialect=kubernetes', '--data-dir=sealed', '--encryption-provider-config=encryption.json'], { cwd });
    const exit = once(server, 'exit');
    await linesOf(server)();
    for (const [kind, text] of [['Secret', 'hidden-text'], ['ConfigMap', 'plain-text']] as const) {
      const input = JSON.stringify({ apiVersion: 'v1', kind, metadata: { name: 'a', annotations: { text } } });
      const made = await orch(['create', '-f', '-', '--kubeconfig=sealed/kubeconfig'], { cwd, input });
      assert.equal(made.code, 0, made.err);
    }
    server.kill('SIGTERM');
    assert.deepEqual(await exit, [0, null]);
    const files = readdirSync(join(cwd, 'sealed'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const kept = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')).join('');
    assert.deepEqual(['k8s:enc:aesgcm:v1:key1:', 'plain-text', 'hidden-text'].map((text) => kept.includes(text)), [true, true, false]);
  });

  const mistakes: readonly (readonly [name: string, flags: readonly string[], code: number, message: RegExp])[] = [
    ['a token file that is missing', ['--token-auth-file=nowhere.csv'], 2, /--token-auth-file: cannot read nowhere\.csv/],
    ['a bad line in a token file', ['--token-auth-file=bad.csv'], 2, /--token-auth-file: bad\.csv, line 2: expected token,user,uid/],
    ['a certificate without key', [`--tls-cert-file=${fixture('server.crt')}`], 2, /--tls-cert-file is given without --tls-private-key-file/],
    [
      'a key of another certificate',
      [`--tls-cert-file=${fixture('server.crt')}`, `--tls-private-key-file=${fixture('client.key')}`],
      2,
      /server\.crt and .*client\.key are not a PEM certificate and its key/,
    ],
    ['a folder of certificates that is none', ['--cert-dir=bad.csv'], 2, /--cert-dir: cannot use bad\.csv: .*ENOTDIR/],
    ['an audit policy that is none', ['--audit-policy-file=audit.yaml', '--audit-log-path=-'], 2, /--audit-policy-file: audit\.yaml: rules\[0\]\.level: "All" is none of/],
    ['an audit policy that is no YAML', ['--audit-policy-file=bad.yaml', '--audit-log-path=-'], 2, /--audit-policy-file: bad\.yaml: yaml: /],
    ['nothing for priority levels to share', ['--max-requests-inflight=0', '--max-mutating-requests-inflight=0'], 2, /^orch: --max-requests-inflight and --max-mutating-requests-inflight are both 0/],
    ['authorities that are none', ['--client-ca-file=bad.csv'], 2, /--client-ca-file: bad\.csv holds no PEM certificates/],
    ['a data folder inside a file', ['--data-dir=bad.csv/data'], 1, /the data folder bad\.csv\/data cannot be used: .*--data-dir/],
    ['a controller that there is not', ['--controllers=*,-nobody'], 2, /--controllers: there is no controller "nobody".*garbagecollector/],
    ['a store of no engine', ['--store=redis://x'], 2, /--store: no storage engine for "redis:\/\/x": give memory:\/\/ or lmdb/],
    ['an address of etcd without a host', ['--store=etcd://'], 2, /^orch: --store: "" is no address: give etcd:\/\/host:port/],
    ['a server of etcd that is none', ['--etcd-servers=http://a b'], 2, /^orch: --etcd-servers: "a b" is no address/],
    ['a setting of etcd that there is not', ['--store=etcd://127.0.0.1:1?speed=9'], 2, /^orch: --store: speed is not known; choose from prefix, tls/],
    ['a file of etcd that is missing', ['--etcd-servers=https://127.0.0.1:1', '--etcd-cafile=nowhere.pem'], 2, /^orch: --etcd-cafile: it cannot be read: ENOENT: .*nowhere\.pem/],
    ['a file in the address of etcd that is missing', ['--store=etcd://127.0.0.1:1?cafile=nowhere.pem'], 2, /^orch: --store: its cafile cannot be read: ENOENT: .*nowhere\.pem/],
    ['an address of this server that is none', ['--advertise-address=foo'], 2, /^orch: --advertise-address: "foo" is no IP address such as 192\.0\.2\.7 .*--external-hostname/],
    ['a range of services that is none', ['--service-cluster-ip-range=10.0.0.0'], 2, /^orch: --service-cluster-ip-range: a service range is a block of addresses/],
    ['an address of this server with the zone of one machine', ['--advertise-address=fe80::1%eth0'], 2, /^orch: --advertise-address: "fe80::1%eth0" is no IP address/],
    ['a kubeconfig that cannot be written', ['--kubeconfig-out=bad.csv/config'], 2, /--kubeconfig-out: cannot write bad\.csv\/config/],
    ['a kubeconfig of others', ['--kubeconfig-out=bad.csv'], 1, /--kubeconfig-out: bad\.csv is not a kubeconfig of this program and stays as it is/],
    ['an address of another machine', ['--bind-address=192.0.2.1'], 1, /--bind-address 192\.0\.2\.1 is not an address of this machine/],
  ];
  for (const [name, flags, code, message] of mistakes) {
    test(`${name} is explained`, async () => {
      writeFileSync(join(cwd, 'bad.csv'), 'good,user,uid\nsecret-word,bad\n');
      writeFileSync(join(cwd, 'audit.yaml'), 'apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{level: All}]\n');
      writeFileSync(join(cwd, 'bad.yaml'), 'a: [\n');
      const store = flags.some((flag) => flag.startsWith('--store') || flag.startsWith('--etcd')) ? [] : ['--store=memory://'];
      const failed = await orch([...FREE, ...store, '--data-dir=mistakes', ...flags], { cwd });
      assert.deepEqual([failed.code, failed.out], [code, '']);
      assert.match(failed.err, message);
      assert.doesNotMatch(failed.err, /secret-word|\n {4}at /);
    });
  }

  test('a folder in which nothing can be made is named', { skip: process.platform === 'linux' ? false : 'there is no /proc' }, async () => {
    const inProc = await orch([...FREE, '--store=memory://'], { cwd: '/proc' });
    assert.deepEqual([inProc.code, inProc.err], [1, "orch: the data folder ./orch-data cannot be used: ENOENT: no such file or directory, mkdir './orch-data'; give another one with --data-dir\n"]);
    const certificates = await orch([...FREE, '--store=memory://', '--cert-dir=/proc/certificates', '--data-dir=named'], { cwd });
    assert.match(certificates.err, /^orch: --cert-dir: cannot use \/proc\/certificates: ENOENT/);
  });

  test('a port that was given twice is said to be', async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const { port } = other.address() as AddressInfo;
    await new Promise((done) => other.close(done));
    const failed = await orch(['serve', '--store=memory://', '--data-dir=mistakes', `--secure-port=${port}`, `--insecure-port=${port}`], { cwd });
    assert.deepEqual([failed.code, failed.err], [1, `orch: port ${port} is that of both --secure-port and --insecure-port: give one of them another one (0: any free one)\n`]);
  });

  for (const flag of ['secure-port', 'insecure-port']) test(`a port that is taken is named, with --${flag}`, async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const { port } = other.address() as AddressInfo;
    const failed = await orch([...FREE, '--store=memory://', '--data-dir=mistakes', `--${flag}=${port}`], { cwd });
    other.close();
    assert.equal(failed.code, 1);
    assert.equal(failed.err, `orch: port ${port} on 127.0.0.1 is taken by another program: stop it, or give another port with --${flag} (0: any free one)\n`);
  });
});
