import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { startTestServer, type TestServer } from '#testing';
import { EtcdProcess, NO_ETCD } from './etcd-process.ts';
import { entriesOf, putEntry } from './raw-entries.ts';

const DIALECTS = ['orch', 'kubernetes'] as const;
const MAPS = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, value: string): object => ({ metadata: { name }, data: { value } });

for (const dialect of DIALECTS) {
  describe(`a server on etcd (${dialect})`, { skip: NO_ETCD }, () => {
    let etcd: EtcdProcess;
    let server: TestServer;
    const start = (query = ''): Promise<TestServer> => startTestServer({ dialect, store: `etcd://${etcd.address}${query}`, controllers: 'none' });

    beforeEach(async () => {
      etcd = await EtcdProcess.start();
      server = await start();
    });
    afterEach(async () => {
      await server.close();
      await etcd.remove();
    });

    it('creates, reads, lists, updates, deletes and watches', async () => {
      const watch = await server.watch(`${MAPS}?watch=true&fieldSelector=metadata.name=a`);
      const made = await server.request('POST', MAPS, configMap('a', '1'));
      assert.equal(made.status, 201);
      const read = await server.request('GET', `${MAPS}/a`);
      assert.deepEqual(read.body, made.body);
      const list = await server.request('GET', `${MAPS}?limit=1`);
      assert.equal(list.body.items.length, 1);
      const replaced = await server.request('PUT', `${MAPS}/a`, { ...made.body, data: { value: '2' } });
      assert.equal(replaced.status, 200);
      assert.equal((await server.request('PUT', `${MAPS}/a`, { ...made.body, data: { value: '3' } })).status, 409);
      assert.equal((await server.patch('merge', `${MAPS}/a`, { data: { value: '4' } })).status, 200);
      assert.equal((await server.request('DELETE', `${MAPS}/a`)).status, 200);
      assert.equal((await server.request('GET', `${MAPS}/a`)).status, 404);
      const events = await watch.next(4);
      assert.deepEqual(
        events.map(({ type, object }) => `${type} ${object.data.value}`),
        ['ADDED 1', 'MODIFIED 2', 'MODIFIED 4', 'DELETED 4'],
      );
      await watch.stop();
    });

    it('keeps everything over a restart, and resumes a watch where it stopped', async () => {
      const made = await server.request('POST', MAPS, configMap('a', '1'));
      await server.patch('merge', `${MAPS}/a`, { data: { value: '2' } });
      await server.close();
      server = await start();
      assert.equal((await server.request('GET', `${MAPS}/a`)).body.data.value, '2');
      const watch = await server.watch(`${MAPS}?watch=true&resourceVersion=${made.body.metadata.resourceVersion}`);
      const [event] = await watch.next(1);
      assert.deepEqual([event.type, event.object.data.value], ['MODIFIED', '2']);
      await watch.stop();
    });

    it('is not started on what was written in the other dialect, and leaves it as it is', async () => {
      const other = dialect === 'orch' ? 'kubernetes' : 'orch';
      await server.close();
      const before = await entriesOf(etcd);
      await assert.rejects(startTestServer({ dialect: other, store: `etcd://${etcd.address}` }), new RegExp(`^Error: the store was written in the dialect ${dialect}, and this server speaks ${other}`));
      assert.deepEqual(await entriesOf(etcd), before);
      server = await start();
    });

    it('keeps to its prefix: servers with different ones share an etcd and see nothing of one another', async () => {
      const other = await start('?prefix=/elsewhere/deep');
      await other.request('POST', MAPS, configMap('b', '1'));
      assert.equal((await server.request('GET', `${MAPS}/b`)).status, 404);
      assert.equal((await other.request('GET', `${MAPS}/b`)).status, 200);
      assert.ok((await entriesOf(etcd)).has('/elsewhere/deep/configmaps/default/b'));
      await other.close();
    });

    it('encrypts what it is told to, and opens it again only with the key', async () => {
      await server.close();
      const group = dialect === 'orch' ? 'apiserver.config.orch.io' : 'apiserver.config.k8s.io';
      const encryption = JSON.stringify({
        apiVersion: `${group}/v1`,
        kind: 'EncryptionConfiguration',
        resources: [{ resources: ['secrets'], providers: [{ aesgcm: { keys: [{ name: 'one', secret: Buffer.alloc(32, 1).toString('base64') }] } }, { identity: {} }] }],
      });
      server = await startTestServer({ dialect, store: `etcd://${etcd.address}`, controllers: 'none', encryption });
      const secrets = MAPS.replace('configmaps', 'secrets');
      await server.request('POST', secrets, { metadata: { name: 'a' }, stringData: { password: 'open sesame' } });
      await server.request('POST', MAPS, configMap('a', 'plain'));
      const kept = await entriesOf(etcd);
      assert.match(kept.get('/registry/secrets/default/a') ?? '', /^k8s:enc:aesgcm:v1:one:/);
      assert.match(kept.get('/registry/configmaps/default/a') ?? '', /plain/);
      assert.equal((await server.request('GET', `${secrets}/a`)).body.data.password, Buffer.from('open sesame').toString('base64'));
      await server.close();
      server = await start();
      assert.equal((await server.request('GET', `${secrets}/a`)).status, 500);
    });
  });
}

describe('three servers on one etcd', { skip: NO_ETCD }, () => {
  let etcd: EtcdProcess;
  let servers: TestServer[] = [];

  before(async () => {
    etcd = await EtcdProcess.start();
    servers = await Promise.all([1, 2, 3].map(() => startTestServer({ store: `etcd://${etcd.address}`, controllers: 'none' })));
  });
  after(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await etcd.remove();
  });

  it('a write through one is seen at once by a consistent read and list through any other', async () => {
    for (let i = 0; i < 30; i++) {
      const writer = servers[i % 3]!;
      const made = await writer.request('POST', MAPS, configMap(`n${i}`, `${i}`));
      assert.equal(made.status, 201);
      for (const reader of servers) {
        assert.equal((await reader.request('GET', `${MAPS}/n${i}`)).body.metadata?.resourceVersion, made.body.metadata.resourceVersion);
        assert.equal((await reader.request('GET', MAPS)).body.items.length, i + 1);
      }
    }
  });

  it('watches of all show the same changes in the same order', async () => {
    const path = `${MAPS}?watch=true&labelSelector=order`;
    const watches = await Promise.all(servers.map((server) => server.watch(path)));
    const writes = Array.from({ length: 60 }, (_, i) => servers[i % 3]!.request('POST', MAPS, { metadata: { name: `o${i}`, labels: { order: 'yes' } } }));
    await Promise.all(writes);
    const [first, ...others] = await Promise.all(watches.map(async (watch) => (await watch.next(60)).map(({ object }) => `${object.metadata.resourceVersion} ${object.metadata.name}`)));
    for (const other of others) assert.deepEqual(other, first);
    await Promise.all(watches.map((watch) => watch.stop()));
  });

  it('one that goes away does not disturb the others', async () => {
    const [going, ...staying] = servers;
    await going!.close();
    servers = staying;
    assert.equal((await staying[0]!.request('POST', MAPS, configMap('stays', '1'))).status, 201);
    assert.equal((await staying[1]!.request('GET', `${MAPS}/stays`)).status, 200);
  });
});

describe('the data of a cluster of Kubernetes', { skip: NO_ETCD }, () => {
  let etcd: EtcdProcess;
  let server: TestServer;

  beforeEach(async () => {
    etcd = await EtcdProcess.start();
  });
  afterEach(async () => {
    await server.close();
    await etcd.remove();
  });
  const start = async (): Promise<void> => {
    server = await startTestServer({ dialect: 'kubernetes', store: `etcd://${etcd.address}`, controllers: 'none' });
  };

  it('refuses an object in a version of a newer program, and the log says what to do; the others are read', async () => {
    const logged: string[] = [];
    const log = (message: string, fields?: object): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
    server = await startTestServer({ dialect: 'kubernetes', store: `etcd://${etcd.address}`, controllers: 'none', log: { info: log, warn: log, error: log } });
    const newer = { kind: 'Deployment', apiVersion: 'apps/v9', metadata: { name: 'later', namespace: 'default' } };
    await putEntry(etcd, '/registry/deployments/default/later', Buffer.from(JSON.stringify(newer)));
    assert.equal((await server.request('GET', '/apis/apps/v1/namespaces/default/deployments/later')).status, 500);
    assert.match(logged.join('\n'), /deployments\/default\/later holds a Deployment of apps\/v9, which this program does not know: start the newer program that wrote it/);
    assert.equal((await server.request('GET', '/api/v1/namespaces/default')).status, 200);
    for (const freshness of ['', '?resourceVersion=0', '?resourceVersion=1', '?labelSelector=a']) {
      assert.equal((await server.request('GET', `/apis/apps/v1/deployments${freshness}`)).status, 500, freshness);
      assert.equal((await server.request('GET', `/apis/apps/v1/namespaces/default/deployments${freshness}`)).status, 500, freshness);
      assert.equal((await server.request('GET', `/apis/apps/v1/namespaces/kube-system/deployments${freshness}`)).status, 200, freshness);
    }
  });

  /** Path of a collection, an object, and the key Kubernetes keeps it under. */
  const PLACES: readonly (readonly [path: string, object: object, key: string])[] = [
    ['/api/v1/nodes', { metadata: { name: 'n' } }, '/registry/minions/n'],
    ['/api/v1/namespaces/default/services', { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } }, '/registry/services/specs/default/s'],
    ['/api/v1/namespaces/default/endpoints', { metadata: { name: 's' } }, '/registry/services/endpoints/default/s'],
    ['/apis/apps/v1/namespaces/default/deployments', deployment(), '/registry/deployments/default/d'],
    ['/apis/coordination.k8s.io/v1/namespaces/default/leases', { metadata: { name: 'l' } }, '/registry/leases/default/l'],
    ['/apis/networking.k8s.io/v1/namespaces/default/ingresses', ingress(), '/registry/ingress/default/i'],
    ['/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name: 'r' } }, '/registry/clusterroles/r'],
    ['/apis/storage.k8s.io/v1/storageclasses', { metadata: { name: 'c' }, provisioner: 'p' }, '/registry/storageclasses/c'],
  ];

  it('lies under the same keys, as JSON that says kind and version and no resourceVersion', async () => {
    await start();
    for (const [path, object] of PLACES) {
      const made = await server.request('POST', path, object);
      assert.equal(made.status, 201, `${path}: ${made.text}`);
    }
    const kept = await entriesOf(etcd);
    for (const [path, , key] of PLACES) {
      const value = kept.get(key);
      assert.ok(value !== undefined, `${key} of ${path}`);
      const object = JSON.parse(value) as { kind: string; apiVersion: string; metadata: Record<string, unknown> };
      assert.equal(path.startsWith(`/api${object.apiVersion.includes('/') ? 's' : ''}/${object.apiVersion}/`), true, object.apiVersion);
      assert.ok(object.metadata['uid'] !== undefined && !('resourceVersion' in object.metadata));
    }
  });

  it('is read and written whether it was stored as protobuf, in another version, or as JSON of another order', async () => {
    const maker = await startTestServer({ dialect: 'kubernetes', controllers: 'none' });
    const made = await maker.request('POST', MAPS, configMap('pb', 'from protobuf'));
    const protobuf = await maker.request('GET', `${MAPS}/pb`, undefined, { accept: 'application/vnd.kubernetes.protobuf' });
    const jobs = '/apis/batch/v1beta1/namespaces/default/cronjobs';
    const spec = { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } } } };
    await maker.request('POST', jobs, { metadata: { name: 'older' }, spec });
    const older = await maker.request('GET', `${jobs}/older`);
    await maker.close();
    await putEntry(etcd, '/registry/configmaps/default/pb', protobuf.bytes);
    await putEntry(etcd, '/registry/cronjobs/default/older', Buffer.from(`${older.text}\n`));
    const sorted = { apiVersion: 'v1', data: { value: 'x', metadata: '"metadata":{' }, kind: 'ConfigMap', metadata: { ...made.body.metadata, name: 'sorted' } };
    await putEntry(etcd, '/registry/configmaps/default/sorted', Buffer.from(`${JSON.stringify(sorted)}\n`));
    await putEntry(etcd, '/registry/configmaps/default/line', Buffer.from(`${JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'line', namespace: 'default' } })}\n`));
    await start();
    const read = await server.request('GET', `${MAPS}/pb`);
    assert.deepEqual([read.body.data, read.body.metadata.uid, read.body.kind], [{ value: 'from protobuf' }, made.body.metadata.uid, 'ConfigMap']);
    assert.deepEqual((await server.request('GET', `${MAPS}/sorted`)).body.data, sorted.data);
    const list = await server.request('GET', MAPS);
    assert.deepEqual(list.body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name).sort(), ['line', 'pb', 'sorted']);
    assert.equal((await server.request('GET', '/apis/batch/v1/namespaces/default/cronjobs/older')).body.spec.schedule, spec.schedule);
    const changed = await server.patch('merge', `${MAPS}/pb`, { data: { value: 'new' } });
    assert.equal(changed.status, 200);
    assert.match((await entriesOf(etcd)).get('/registry/configmaps/default/pb') ?? '', /^\{"kind":"ConfigMap"/);
  });
});

function deployment(): object {
  const labels = { app: 'd' };
  return { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } } } };
}

function ingress(): object {
  return { metadata: { name: 'i' }, spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } };
}
