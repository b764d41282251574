// Values in etcd as the flag --storage-media-type says, read in every form whatever it says.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DIALECTS, type Dialect } from '#api';
import type { StorageFormat } from '#server';
import type { TestJson, TestServer } from '#testing';
import { examplesOf } from '../kinds/examples.ts';
import { NO_ETCD } from './etcd-process.ts';
import { entriesOf } from './raw-entries.ts';
import { serverOnEtcd } from './server-on-etcd.ts';

const MAPS = '/api/v1/namespaces/n/configmaps';

for (const dialect of DIALECTS) {
  describe(`the form of values in etcd (${dialect})`, { skip: NO_ETCD }, () => {
    const place = serverOnEtcd();
    const restart = (storageFormat?: StorageFormat): Promise<TestServer> =>
      place.restart({ dialect, controllers: 'none', runtimeConfig: 'api/all=true', ...(storageFormat === undefined ? {} : { storageFormat }) });

    it('protobuf for every built-in kind, and the same objects after a restart with JSON', async () => {
      const first = await restart('protobuf');
      const made = await makeAll(first, dialect);
      const kept = await entriesOf(place.etcd);
      const json = [...kept].filter(([key, value]) => value.startsWith('{"kind"') && !/apiservices|customresourcedefinitions/.test(key));
      assert.deepEqual(json, [], 'what is JSON all the same');
      assert.ok([...kept.values()].filter((value) => value.startsWith('k8s\0')).length > made.size);
      await sameAs(made, await restart('json'));
      await sameAs(made, await restart());
    });

    it('JSON, and the same objects after a restart with protobuf; an update without a change brings them to the form of the day', async () => {
      const made = await makeAll(await restart('json'), dialect);
      assert.deepEqual([...(await entriesOf(place.etcd)).values()].filter((value) => value.startsWith('k8s\0')), []);
      const second = await restart('protobuf');
      await sameAs(made, second);
      const before = await second.request('POST', MAPS, { metadata: { name: 'rewritten' }, data: { a: '1' } });
      const third = await restart('json');
      const after = await third.request('PUT', `${MAPS}/rewritten`, before.body);
      assert.equal(after.status, 200, after.text);
      assert.notEqual(after.body.metadata.resourceVersion, before.body.metadata.resourceVersion);
      const again = await third.request('PUT', `${MAPS}/rewritten`, after.body);
      assert.equal(again.body.metadata.resourceVersion, after.body.metadata.resourceVersion, 'once');
      const [, value] = [...(await entriesOf(place.etcd))].find(([key]) => key.endsWith('/rewritten')) ?? [];
      assert.match(value ?? '', /^\{"kind":"ConfigMap"/);
    });

    it('custom resources stay JSON, and conflicts, selectors and watches work over protobuf', async () => {
      const running = await restart('protobuf');
      const made = await running.request('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
      assert.equal(made.status, 201);
      const one = await running.request('POST', MAPS, { metadata: { name: 'a', labels: { tier: 'x' } }, data: { a: '1' }, binaryData: { b: 'AAEC' } });
      const watch = await running.watch(`${MAPS}?watch=1&labelSelector=tier=x&resourceVersion=${one.body.metadata.resourceVersion}`);
      const two = await running.patch('merge', `${MAPS}/a`, { data: { a: '2' } });
      assert.equal((await running.request('PUT', `${MAPS}/a`, one.body)).status, 409);
      assert.equal((await running.request('DELETE', `${MAPS}/a`)).status, 200);
      const events = await watch.next(2);
      await watch.stop();
      assert.deepEqual(events.map(({ type, object }) => [type, object.data, object.binaryData]), [
        ['MODIFIED', { a: '2' }, { b: 'AAEC' }],
        ['DELETED', { a: '2' }, { b: 'AAEC' }],
      ]);
      assert.equal(events[0]?.object.metadata.resourceVersion, two.body.metadata.resourceVersion);
    });
  });
}

/** Objects by their path, as the server shows them. */
async function makeAll(server: TestServer, dialect: Dialect): Promise<ReadonlyMap<string, TestJson>> {
  await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
  await server.request('POST', '/api/v1/namespaces/n/serviceaccounts', { metadata: { name: 'default' } });
  const paths: string[] = [];
  for (const { resource, served, path, body } of examplesOf(dialect)) {
    if (served !== resource.storage || resource.kind.kind === 'Namespace') continue;
    const made = await server.request('POST', path, body);
    assert.equal(made.status, 201, `${path} ${made.text}`);
    paths.push(`${path}/${made.body.metadata.name}`);
  }
  // Some are still being written by the server itself when they are made.
  return new Map(await Promise.all(paths.map(async (path) => [path, withoutStatus((await server.request('GET', path)).body)] as const)));
}

async function sameAs(made: ReadonlyMap<string, TestJson>, server: TestServer): Promise<void> {
  for (const [path, object] of made) assert.deepEqual(withoutStatus((await server.request('GET', path)).body), object, path);
}

const WRITTEN_BY_THE_SERVER = /^(?:CustomResourceDefinition|APIService|FlowSchema)$/;

function withoutStatus(object: TestJson): TestJson {
  if (!WRITTEN_BY_THE_SERVER.test(object.kind)) return object;
  const { status: _status, metadata, ...rest } = object;
  const { resourceVersion: _version, managedFields: _fields, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
