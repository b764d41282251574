// Every kind in every version through a client that speaks nothing but protobuf: what it writes, reads, lists and watches is what JSON says.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brandOf, DIALECTS, objectTypeOf, type ApiObject } from '#api';
import { decode } from '#schema';
import { startTestServer, type TestJson, type TestServer } from '#testing';
import { examplesOf } from './examples.ts';
import { ProtobufClient } from './protobuf-client.ts';

/** The condition that the server itself writes soon after an object was made, by kind: two reads are the same only once it is there. */
const WRITTEN_BY_SERVER: ReadonlyMap<string, string> = new Map([
  ['APIService', 'Available'],
  ['CustomResourceDefinition', 'Established'],
  ['FlowSchema', 'Dangling'],
]);

for (const dialect of DIALECTS) {
  describe(dialect, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ dialect, controllers: 'none', runtimeConfig: 'api/all=true' });
      for (const path of ['namespaces', 'namespaces/n/serviceaccounts']) await server.request('POST', `/api/v1/${path}`, { metadata: { name: path === 'namespaces' ? 'n' : 'default' } });
    });
    after(() => server.close());

    const examples = examplesOf(dialect);
    test('no kind is left out', () => {
      const seen = new Set(examples.map(({ resource }) => resource.kind.kind));
      assert.ok(seen.size >= 45, [...seen].join(' '));
    });

    for (const { resource, served, path, body } of examples) {
      const { kind } = resource.kind;
      test(`R4.7-04 R4.7-05 RX-14 ${served.apiVersion} ${kind} is written, read, listed and watched in protobuf`, async () => {
        const client = new ProtobufClient(server, brandOf(dialect), served, kind);
        const sent = decode(objectTypeOf(served.schema), body) as unknown as ApiObject;
        const { resourceVersion } = await client.list(path);
        const made = await client.write('POST', path, sent);
        const name = made.metadata.name ?? '';
        const item = `${path}/${name}`;
        await settled(name);
        assert.deepEqual(await client.read(item), await normal(item));
        const label = { ...made.metadata.labels, changed: 'yes' };
        const changed = await client.write('PUT', item, { ...(await client.read(item)), metadata: { ...(await client.read(item)).metadata, labels: label } });
        assert.equal(changed.metadata.labels?.['changed'], 'yes');
        const { items } = await client.list(path);
        assert.deepEqual(items.find(({ metadata }) => metadata.name === name), await normal(item));
        const watch = await client.watch(`${path}?watch=1&resourceVersion=${resourceVersion}&fieldSelector=metadata.name=${name}`);
        const events = [await watch.next(), await watch.next()];
        watch.stop();
        assert.deepEqual(events.map(({ type }) => type), ['ADDED', 'MODIFIED']);
        assert.deepEqual(events.map(({ object }) => object.metadata.uid), [made.metadata.uid, made.metadata.uid]);
        assert.ok((await server.request('DELETE', item, undefined)).status < 300);

        async function settled(name: string): Promise<void> {
          const condition = WRITTEN_BY_SERVER.get(kind);
          if (condition === undefined) return;
          const watch = await server.watch(`${path}?watch=1&fieldSelector=metadata.name=${name}`);
          const isThere = (object: TestJson | undefined): boolean => object?.status.conditions?.some(({ type }: TestJson) => type === condition) ?? false;
          for (let [event] = await watch.next(1); !isThere(event?.object); [event] = await watch.next(1));
          await watch.stop();
        }

        async function normal(where: string): Promise<ApiObject> {
          const { text } = await server.request('GET', where);
          return decode(objectTypeOf(served.schema), JSON.parse(text)) as unknown as ApiObject;
        }
      });
    }
  });
}
