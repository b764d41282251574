import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import { startTestServer, TurnedClock, type TestJson, type TestWatch } from '#testing';
import { examplesOf } from '../kinds/examples.ts';
import { ProtobufClient } from '../kinds/protobuf-client.ts';
import { KINDS, apiVersionOf } from './kinds.table.ts';
import { everywhere, expect, PLACES } from './world.ts';

everywhere(PLACES.withSockets, (world) => {
  test('R2.4-01 each event is one JSON document with exactly type and object, one a line', async () => {
    const namespace = await world.namespace();
    const watch = await world.watch(`${world.path('ConfigMap', namespace)}?watch=true`);
    await world.make('ConfigMap', namespace, { name: 'a' });
    await world.make('ConfigMap', namespace, { name: 'b' });
    const lines = await watch.nextLines(2);
    await watch.stop();
    for (const line of lines) assert.deepEqual(Object.keys(JSON.parse(line) as object).sort(), ['object', 'type']);
    assert.equal(watch.headers['content-type'], 'application/json');
  });

  test('R2.4-02 R2.4-03 R2.4-05 an object that is made, changed and removed, in the kind asked for', async () => {
    for (const row of KINDS) {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      const name = world.fresh('seen');
      const watch = await world.watch(`${world.path(row.kind, namespace)}?watch=1&fieldSelector=metadata.name%3D${name}`);
      const made = await world.make(row.kind, namespace, { name });
      const changed = expect(200, await world.patch('merge', world.path(row.kind, namespace, name), row.change));
      expect(200, await world.delete(world.path(row.kind, namespace, name)));
      const events = await watch.next(3);
      await watch.stop();
      const third = row.kind === 'Namespace' ? 'MODIFIED' : 'DELETED';
      assert.deepEqual(events.map(({ type }) => type), ['ADDED', 'MODIFIED', third]);
      assert.deepEqual(events.slice(0, 2).map(({ object }) => object), [made, changed]);
      for (const { object } of events) {
        assert.deepEqual([object.kind, object.apiVersion, object.metadata.name], [row.kind, apiVersionOf(world.brand, row), name]);
      }
    }
  });
});

for (const dialect of DIALECTS) {
  test(`R2.4-04 R2.4-06 a bookmark is of the kind asked for and says nothing but a version (${dialect})`, async () => {
    const clock = new TurnedClock();
    const server = await startTestServer({ dialect, clock, controllers: 'none' });
    const watch = await server.watch('/api/v1/namespaces/default/configmaps?watch=1&allowWatchBookmarks=true');
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    const made = expect(201, await server.request('POST', '/api/v1/namespaces/default/configmaps', object));
    await watch.next(1);
    clock.turn(61_000);
    const [bookmark] = await watch.next(1);
    await watch.stop();
    await server.close();
    assert.deepEqual(bookmark, {
      type: 'BOOKMARK',
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: made.metadata.resourceVersion, creationTimestamp: null } },
    });
  });

  // One of the group without a name, whose version is spelled like that of metadata alone, and one of several versions.
  for (const kind of ['ConfigMap', 'HorizontalPodAutoscaler']) {
    test(`R2.4-02 watches of one resource that are open at a time are told each change in the form and version that each asked for: ${kind} (${dialect})`, async () => {
      const server = await startTestServer({ dialect, controllers: 'none', runtimeConfig: 'api/all=true' });
      const meta = brandOf(dialect).group('meta');
      const forms = FORMS_OF_METADATA.map(([as, version]) => ({ accept: `application/json;as=${as};g=${meta};v=${version}`, says: [as, `${meta}/${version}`] }));
      const examples = examplesOf(dialect).filter(({ resource }) => resource.kind.kind === kind);
      const [example] = examples;
      assert.ok(example !== undefined);
      expect(201, await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'n' } }));
      const watches = await Promise.all(
        examples.map(async ({ path, served }) => {
          const client = new ProtobufClient(server, brandOf(dialect), served, kind);
          const all = `${path}?watch=1&fieldSelector=metadata.name!%3Dnone`;
          const whole = { accept: 'application/json', says: [kind, served.apiVersion] };
          const texts = await Promise.all([whole, ...forms].map(async (form) => ({ ...form, watch: await server.watch(all, { accept: form.accept }) })));
          return { path, client, texts, framed: await client.watch(all) };
        }),
      );
      const { name } = expect(201, await server.request('POST', example.path, example.body)).metadata;
      for (const expected of ['ADDED', 'MODIFIED']) {
        for (const { path, client, texts, framed } of watches) {
          for (const { accept, says, watch } of texts) {
            const [{ type, object }] = await watch.next(1);
            const read = expect(200, await server.request('GET', `${path}/${name}`, undefined, { accept }));
            assert.deepEqual([type, object.kind, object.apiVersion], [expected, ...says], `${path} ${accept}`);
            assert.deepEqual(withoutAges(object), withoutAges(read), `${path} ${accept}`);
          }
          assert.deepEqual(await framed.next(), { type: expected, object: await client.read(`${path}/${name}`) }, path);
        }
        if (expected === 'ADDED') expect(200, await server.patch('merge', `${example.path}/${name}`, { metadata: { labels: { changed: 'yes' } } }));
      }
      for (const { texts, framed } of watches) {
        framed.stop();
        for (const { watch } of texts) await watch.stop();
      }
      await server.close();
    });
  }

  test(`R2.4-04 R2.4-06 where metadata alone or tables are asked for, bookmarks of every resource are such, too (${dialect})`, async () => {
    const clock = new TurnedClock();
    const server = await startTestServer({ dialect, clock, controllers: 'none' });
    const { groups } = expect(200, await server.request('GET', '/apis'));
    const meta = brandOf(dialect).group('meta');
    const roots: string[] = ['/api/v1', ...groups.flatMap(({ versions }: TestJson) => versions.map(({ groupVersion }: TestJson) => `/apis/${groupVersion}`))];
    for (const root of roots) {
      for (const { name, verbs } of expect(200, await server.request('GET', root)).resources) {
        if (!verbs.includes('watch')) continue;
        for (const [as, includeObject] of FORMS) {
          const path = `${root}/${name}?watch=1&timeoutSeconds=86400&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dnone&includeObject=${includeObject}`;
          const watch = await server.watch(path, { accept: `application/json;as=${as};g=${meta};v=v1` });
          const [{ type, object }] = await firstInTime(clock, watch);
          await watch.stop();
          assert.deepEqual([type, object.kind, object.apiVersion, object.rows?.length], ['BOOKMARK', as, `${meta}/v1`, as === 'Table' ? 1 : undefined], path);
          assert.match(object.metadata.resourceVersion, /^[1-9]\d*$/, path);
        }
      }
    }
    await server.close();
  });
}

const FORMS_OF_METADATA = [
  ['PartialObjectMetadata', 'v1'],
  ['PartialObjectMetadata', 'v1beta1'],
  ['Table', 'v1'],
  ['Table', 'v1beta1'],
] as const;

/** Cells of a table say how old an object is now; the columns stand in its first event alone. */
const withoutAges = ({ kind, apiVersion, rows, columnDefinitions: _columns, ...rest }: TestJson): unknown =>
  rows === undefined ? { kind, apiVersion, ...rest } : { kind, apiVersion, ...rest, rows: rows.map(({ object }: TestJson) => object) };

const FORMS = [
  ['PartialObjectMetadata', 'None'],
  ['Table', 'None'],
  ['Table', 'Object'],
] as const;

/** What a watch tells first while minutes pass: no bookmark comes before all that was there has been looked at, which leaves turns to others. */
async function firstInTime(clock: TurnedClock, watch: TestWatch): Promise<readonly TestJson[]> {
  const life = { isTold: false };
  const told = watch.next(1).finally(() => (life.isTold = true));
  while (!life.isTold) {
    clock.turn(61_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return told;
}
