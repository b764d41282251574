import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KINDS } from './kinds.table.ts';
import { everywhere, expect, expectFailure, PLACES } from './world.ts';

everywhere(PLACES.withSockets, (world) => {
  const protobuf = (): string => world.brand.names.protobuf;
  const tableType = (): string => `application/json;as=Table;g=${world.brand.group('meta')};v=v1`;

  test('R4.7-01 R4.7-02 JSON answers who does not ask, and who takes anything', async () => {
    const namespace = await world.namespace();
    await world.make('ConfigMap', namespace, { name: 'a' });
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const answer = await world.get(world.path('ConfigMap', namespace, 'a'), headers);
      assert.equal(answer.headers['content-type'], 'application/json');
      assert.equal(expect(200, answer).kind, 'ConfigMap');
    }
    const typed = await world.post(world.path('ConfigMap', namespace), world.object('ConfigMap', { name: 'b' }), { 'content-type': 'application/json; charset=utf-8' });
    expect(201, typed);
  });

  test('R4.7-01 whatever is JSON and not for people is a line', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    const item = world.path('ConfigMap', namespace, 'a');
    const object = world.object('ConfigMap', { name: 'a' });
    const answers = {
      tried: await world.post(`${collection}?dryRun=All`, object),
      made: await world.post(collection, object),
      changed: await world.patch('merge', item, { data: { k: 'v' } }),
      kept: await world.patch('merge', item, { data: { k: 'v' } }),
      read: await world.get(item),
      listed: await world.get(collection),
      absent: await world.get(world.path('ConfigMap', namespace, 'b')),
      metadata: await world.get(item, { accept: `application/json;as=PartialObjectMetadata;g=${world.brand.group('meta')};v=v1` }),
      table: await world.get(item, { accept: tableType() }),
      tables: await world.get(collection, { accept: tableType() }),
      found: await world.get('/apis'),
      removed: await world.delete(item),
    };
    for (const [what, { text }] of Object.entries(answers)) assert.ok(text.endsWith('}\n') && text.indexOf('\n') === text.length - 1, `${what}: ${text}`);
    const shown = await world.get(`${collection}?pretty=1`);
    assert.ok(shown.text.includes('\n') && shown.text.endsWith('}'), shown.text);
  });

  for (const row of KINDS) {
    test(`R4.7-03 R4.7-04 R4.7-05 R4.7-06 ${row.kind}: JSON, YAML and protobuf in and out, in any pair`, async () => {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      const formats = ['application/json', 'application/yaml', protobuf()];
      const name = world.fresh('form');
      const made = await world.make(row.kind, namespace, { name, labels: { count: '0' } });
      const path = world.path(row.kind, namespace, name);
      for (const from of formats) {
        const { bytes, headers } = await world.get(path, { accept: from });
        assert.equal(headers['content-type'], from);
        const body = Buffer.from(bytes);
        for (const to of formats) {
          const answer = await world.put(path, body, { 'content-type': from, accept: to });
          assert.deepEqual([answer.status, answer.headers['content-type']], [200, to], answer.text);
        }
      }
      // Nothing was lost or changed on the way through any of them.
      assert.deepEqual(expect(200, await world.get(path)), made);
      const removed = await world.delete(path, undefined, { accept: protobuf() });
      assert.deepEqual([removed.status, removed.headers['content-type']], [200, protobuf()]);
    });
  }

  test('R4.7-09 R4.7-10 R2.5-11 tables are asked for in Accept, and what cannot be served is passed over', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace);
    const kindFor = async (accept: string): Promise<string> => expect(200, await world.get(path, { accept })).kind as string;
    assert.equal(await kindFor(tableType()), 'Table');
    assert.equal(await kindFor(`${tableType()}, application/json`), 'Table');
    assert.equal(await kindFor(`text/html, ${tableType()};q=0.5, application/json;q=0.1`), 'Table');
    assert.equal(await kindFor('application/json;as=Chart;g=example.com;v=v1, application/json'), 'ConfigMapList');
    assert.equal(await kindFor(`application/json, ${tableType()}`), 'ConfigMapList');
    // Status of a subresource has no table.
    await world.make('DaemonSet', namespace, { name: 'd' });
    const status = await world.get(`${world.path('DaemonSet', namespace, 'd')}/status`, { accept: `${tableType()}, application/json` });
    assert.equal(expect(200, status).kind, 'DaemonSet');
    assert.equal((await world.get(`${world.path('DaemonSet', namespace, 'd')}/status`, { accept: tableType() })).status, 406);
    // What cannot be asked of a table is refused before a watch begins.
    for (const query of ['includeObject=some', 'includeObject=some&watch=1']) expectFailure(400, 'BadRequest', await world.get(`${path}?${query}`, { accept: tableType() }));
  });

  test('R4.7-11 406 when nothing asked for can be served', async () => {
    for (const accept of ['text/html', 'application/xml, image/png', 'application/json;as=Chart;g=example.com;v=v1', 'application/cbor']) {
      const answer = await world.get('/api/v1/configmaps', { accept });
      assert.equal(answer.status, 406, accept);
      assert.equal(answer.body.reason, 'NotAcceptable');
    }
  });

  test('R4.7-12 415 for a body nobody can read; protobuf watches are framed; metadata alone', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace);
    expectFailure(415, 'UnsupportedMediaType', await world.post(path, '<x/>', { 'content-type': 'application/xml' }));
    await world.make('ConfigMap', namespace, { name: 'a' });
    expectFailure(415, 'UnsupportedMediaType', await world.server.request('PATCH', `${path}/a`, {}, { 'content-type': 'application/json' }));
    const partial = { accept: `application/json;as=PartialObjectMetadata;g=${world.brand.group('meta')};v=v1` };
    const shown = expect(200, await world.get(`${path}/a`, partial));
    assert.deepEqual([shown.kind, Object.keys(shown).sort()], ['PartialObjectMetadata', ['apiVersion', 'kind', 'metadata']]);
    for (const version of ['v1beta1', 'v1']) {
      const { apiVersion } = expect(200, await world.get(`${path}/a`, { accept: partial.accept.replace('v=v1', `v=${version}`) }));
      assert.equal(apiVersion, `${world.brand.group('meta')}/${version}`);
    }
    const list = { accept: partial.accept.replace('Metadata;', 'MetadataList;') };
    assert.equal(expect(200, await world.get(path, list)).kind, 'PartialObjectMetadataList');
    await world.make('ConfigMap', namespace, { name: 'b' });
    const page = expect(200, await world.get(`${path}?limit=1`, list));
    assert.deepEqual([page.items.length, Object.keys(page.metadata).sort()], [1, ['continue', 'resourceVersion']]);
    const none = `${path}?labelSelector=none`;
    assert.equal(expect(200, await world.get(none, list)).items, null);
    assert.match((await world.get(none, { accept: list.accept.replace('json', 'yaml') })).text, /^items: null$/m);
    const stream = await world.watch(`${path}?watch=1&timeoutSeconds=1`, { accept: protobuf() });
    assert.equal(stream.headers['content-type'], `${protobuf()};stream=watch`);
    await stream.stop();
  });

  test('R4.7-09 parts and reviews show their metadata alone, too; who accepts nothing there is gets an error for people', async () => {
    const namespace = await world.namespace();
    await world.make('Deployment', namespace, { name: 'd' });
    const partial = `application/json;as=PartialObjectMetadata;g=${world.brand.group('meta')};v=v1`;
    const scale = `${world.path('Deployment', namespace, 'd')}/scale`;
    const shown = expect(200, await world.get(scale, { accept: partial }));
    assert.deepEqual([shown.kind, shown.metadata.name, Object.keys(shown).sort()], ['PartialObjectMetadata', 'd', ['apiVersion', 'kind', 'metadata']]);
    expectFailure(406, 'NotAcceptable', await world.get(scale, { accept: partial.replace('Metadata;', 'MetadataList;') }));
    const refused = await world.get(scale, { accept: 'text/html' });
    assert.deepEqual([refused.status, refused.text.startsWith('{\n  "kind"')], [406, true]);
    // Not all that is there is a path of the API.
    assert.equal((await world.get('/version', { accept: 'application/yaml' })).status, 406);
    assert.equal((await world.get('/apis', { accept: 'application/*' })).status, 200);
  });
});
