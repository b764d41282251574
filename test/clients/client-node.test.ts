// The JavaScript client that others use, against the kubernetes dialect: objects, watch and informer.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AppsV1Api, CoreV1Api, KubeConfig, makeInformer, PatchStrategy, setHeaderOptions, Watch, type V1ConfigMap } from '@kubernetes/client-node';
import { deferred } from '#base';
import { startServerProcess, type ServerProcess } from '../support/server-process.ts';

const NAMESPACE = 'client-node';

let server: ServerProcess;
let config: KubeConfig;
let core: CoreV1Api;

before(async () => {
  server = await startServerProcess({ flags: ['--dialect', 'kubernetes', '--store', 'memory://', '--controllers', 'none'] });
  config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  core = config.makeApiClient(CoreV1Api);
  await core.createNamespace({ body: { metadata: { name: NAMESPACE } } });
});
after(async () => {
  assert.equal(await server.stop(), 0);
});

test('an object is created, read, replaced, patched, listed and deleted', async () => {
  const namespace = NAMESPACE;
  const made = await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'a', labels: { suite: 'crud' } }, data: { x: '1' } } });
  assert.ok(made.metadata?.uid);
  const read = await core.readNamespacedConfigMap({ namespace, name: 'a' });
  assert.deepEqual([read.data, read.metadata?.resourceVersion], [{ x: '1' }, made.metadata.resourceVersion]);

  const replaced = await core.replaceNamespacedConfigMap({ namespace, name: 'a', body: { ...read, data: { x: '2' } } });
  assert.equal(replaced.data?.['x'], '2');
  await assert.rejects(core.replaceNamespacedConfigMap({ namespace, name: 'a', body: { ...read, data: { x: '3' } } }), { code: 409 });

  const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
  const patched = await core.patchNamespacedConfigMap({ namespace, name: 'a', body: { data: { y: '1' } } }, merge);
  assert.deepEqual(patched.data, { x: '2', y: '1' });
  const json = setHeaderOptions('Content-Type', PatchStrategy.JsonPatch);
  const again = await core.patchNamespacedConfigMap({ namespace, name: 'a', body: [{ op: 'remove', path: '/data/x' }] }, json);
  assert.deepEqual(again.data, { y: '1' });

  const list = await core.listNamespacedConfigMap({ namespace, labelSelector: 'suite=crud' });
  assert.deepEqual(list.items.map((item) => item.metadata?.name), ['a']);
  await core.deleteNamespacedConfigMap({ namespace, name: 'a' });
  await assert.rejects(core.readNamespacedConfigMap({ namespace, name: 'a' }), { code: 404 });
});

test('a deployment comes back with its defaults', async () => {
  const apps = config.makeApiClient(AppsV1Api);
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'web:1' }] } };
  const made = await apps.createNamespacedDeployment({
    namespace: NAMESPACE,
    body: { metadata: { name: 'web' }, spec: { selector: { matchLabels: { app: 'web' } }, template } },
  });
  assert.equal(made.spec?.replicas, 1);
  assert.equal(made.spec.strategy?.type, 'RollingUpdate');
  assert.equal(made.spec.template.spec?.containers[0]?.imagePullPolicy, 'IfNotPresent');
});

test('a watch tells every change in order', async () => {
  const namespace = NAMESPACE;
  const { metadata } = await core.listNamespacedConfigMap({ namespace });
  const seen: string[] = [];
  const complete = deferred<void>();
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const query = { resourceVersion: metadata?.resourceVersion, fieldSelector: 'metadata.name=watched' };
  const watching = await new Watch(config).watch(
    path,
    query,
    (type: string, object: V1ConfigMap) => {
      seen.push(`${type} ${object.data?.['n'] ?? ''}`);
      if (type === 'DELETED') complete.resolve(undefined);
    },
    (error: unknown) => complete.reject(error instanceof Error ? error : new Error(`the watch ended: ${String(error)}`)),
  );
  const body = { metadata: { name: 'watched' }, data: { n: '1' } };
  await core.createNamespacedConfigMap({ namespace, body });
  await core.replaceNamespacedConfigMap({ namespace, name: 'watched', body: { ...body, data: { n: '2' } } });
  await core.deleteNamespacedConfigMap({ namespace, name: 'watched' });
  await complete.promise;
  watching.abort();
  assert.deepEqual(seen, ['ADDED 1', 'MODIFIED 2', 'DELETED 2']);
});

test('an informer lists, then follows', async () => {
  const namespace = NAMESPACE;
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'before-start', labels: { informed: 'yes' } } } });
  const informer = makeInformer<V1ConfigMap>(
    config,
    `/api/v1/namespaces/${namespace}/configmaps`,
    () => core.listNamespacedConfigMap({ namespace, labelSelector: 'informed=yes' }),
    'informed=yes',
  );
  const seen: string[] = [];
  const complete = deferred<void>();
  informer.on('add', (object) => seen.push(`add ${object.metadata?.name}`));
  informer.on('update', (object) => seen.push(`update ${object.metadata?.name}`));
  informer.on('delete', (object) => {
    seen.push(`delete ${object.metadata?.name}`);
    complete.resolve(undefined);
  });
  informer.on('error', (error: unknown) => complete.reject(error));
  await informer.start();
  const name = 'after-start';
  await core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { informed: 'yes' } } } });
  await core.replaceNamespacedConfigMap({ namespace, name, body: { metadata: { name, labels: { informed: 'yes' } }, data: { n: '1' } } });
  await core.deleteNamespacedConfigMap({ namespace, name });
  await complete.promise;
  await informer.stop();
  assert.deepEqual(seen, ['add before-start', `add ${name}`, `update ${name}`, `delete ${name}`]);
  assert.equal(informer.get('before-start', namespace)?.metadata?.name, 'before-start');
});
