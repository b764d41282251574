import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIALECTS } from '#api';
import { startTestServer, TurnedClock, type TestJson } from '#testing';
import { KINDS } from './kinds.table.ts';
import { everywhere, expect, expectFailure, PLACES } from './world.ts';

const short = ({ type, object }: TestJson): string => `${type} ${object.metadata.name}`;

everywhere(PLACES.withSockets, (world) => {
  for (const row of KINDS) {
    test(`R4.5-01 R4.5-02 R4.5-03 R4.5-04 R4.5-05 R4.5-06 R6-01 R6-03 R6-33 R6-34 R6-35 R6-36 R6-38 RX-11 ${row.kind}: each write is one event with the object as answered, in order`, async () => {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      const [name, applied, put] = [world.fresh('w'), world.fresh('w'), world.fresh('w')];
      const path = world.path(row.kind, namespace);
      const before = await world.make(row.kind, namespace, { name: world.fresh('before') });
      const { metadata } = expect(200, await world.get(`${path}?limit=1`));
      const watch = await world.watch(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}`);
      assert.match(watch.headers['content-type'] ?? '', /^application\/json/);
      const answers: (readonly [type: string, object: TestJson])[] = [];
      answers.push(['ADDED', await world.make(row.kind, namespace, { name })]);
      answers.push(['MODIFIED', expect(200, await world.patch('merge', `${path}/${name}`, row.change))]);
      const live = answers.at(-1)?.[1];
      answers.push(['MODIFIED', expect(200, await world.put(`${path}/${name}`, { ...live, metadata: { ...live.metadata, annotations: { put: 'yes' } } }))]);
      const apply = (labels: object) => world.patch('apply', `${path}/${applied}?fieldManager=m`, world.object(row.kind, { name: applied, labels }));
      answers.push(['ADDED', expect(201, await apply({ a: '1' }))]);
      answers.push(['MODIFIED', expect(200, await apply({ a: '2' }))]);
      // What changes nothing is no event.
      expect(200, await world.patch('merge', `${path}/${name}`, {}));
      if (world.dialect === 'orch') answers.push(['ADDED', expect(201, await world.put(`${path}/${put}`, world.object(row.kind, { name: put })))]);
      const events = await watch.next(answers.length);
      assert.deepEqual(events.map(({ type, object }) => [type, object]), answers);
      for (const [, { metadata: shown }] of answers) assert.ok(BigInt(shown.resourceVersion) > BigInt(before.metadata.resourceVersion));
      expect(200, await world.delete(`${path}/${name}`));
      if (row.kind === 'Namespace') return watch.stop();
      const [gone] = await watch.next(1);
      assert.equal(short(gone), `DELETED ${name}`);
      assert.equal(gone.object.metadata.annotations.put, 'yes');
      assert.ok(BigInt(gone.object.metadata.resourceVersion) > BigInt(answers.at(-1)?.[1].metadata.resourceVersion));
      return watch.stop();
    });
  }

  test('R4.5-10 RX-10 a watch that goes on from the last version seen, or from a new list, misses nothing and repeats nothing', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace);
    const first = await world.watch(`${path}?watch=1&resourceVersion=${await world.latest()}`);
    for (const name of ['a', 'b']) await world.make('ConfigMap', namespace, { name });
    const [, last] = await first.next(2);
    await first.stop();
    for (const name of ['c', 'd']) await world.make('ConfigMap', namespace, { name });
    const list = expect(200, await world.get(path));
    expect(200, await world.delete(`${path}/a`));
    const resumed = await world.watch(`${path}?watch=1&resourceVersion=${last.object.metadata.resourceVersion}`);
    assert.deepEqual((await resumed.next(3)).map(short), ['ADDED c', 'ADDED d', 'DELETED a']);
    const again = await world.watch(`${path}?watch=1&resourceVersion=${list.metadata.resourceVersion}`);
    assert.deepEqual((await again.next(1)).map(short), ['DELETED a']);
    await Promise.all([resumed.stop(), again.stop()]);
  });

  test('R4.5-01 a path that says watch is read only and has no subresources; its name is the one that is selected, and its options are those of a list', async () => {
    const namespace = await world.namespace();
    for (const name of ['a', 'b']) await world.make('ConfigMap', namespace, { name });
    const path = `/api/v1/watch/namespaces/${namespace}/configmaps`;
    for (const method of ['POST', 'PUT', 'DELETE']) expectFailure(405, 'MethodNotAllowed', await world.server.request(method, path, undefined));
    for (const selector of ['metadata.name%3Db', `metadata.namespace%3D${namespace}`]) {
      expectFailure(400, 'BadRequest', await world.get(`${path}/a?fieldSelector=${selector}`));
    }
    const named = await world.watch(`${path}/a?timeoutSeconds=1&fieldSelector=metadata.namespace%3D${namespace},metadata.name%3Da&continue=x`);
    assert.deepEqual((await named.rest()).map(short), ['ADDED a']);
    const since = `resourceVersion=${await world.latest()}&resourceVersionMatch=Exact`;
    for (const part of ['status', 'proxy']) {
      for (const method of ['GET', 'POST', 'DELETE']) expectFailure(404, 'NotFound', await world.server.request(method, `${path.replace('configmaps', 'services')}/a/${part}`, undefined));
    }
    const matching = await world.watch(`${path}?timeoutSeconds=1&${since}`);
    assert.deepEqual(await matching.rest(), []);
    const isOrch = world.dialect === 'orch';
    expectFailure(isOrch ? 400 : 422, isOrch ? 'BadRequest' : 'Invalid', await world.get(`${world.path('ConfigMap', namespace)}?watch=&${since}`));
  });

  test('R4.5-01 kinds that cannot be watched have no path that says watch', async () => {
    const namespace = await world.namespace();
    for (const path of ['/api/v1/watch/componentstatuses', `/api/v1/watch/namespaces/${namespace}/bindings`]) {
      for (const method of ['GET', 'POST']) expectFailure(404, 'NotFound', await world.server.request(method, path, undefined));
    }
    expectFailure(405, 'MethodNotAllowed', await world.get('/api/v1/componentstatuses?watch=1'));
  });

  test('R4.6-28 R4.6-29 R4.6-30 R4.6-31 R6-02 without a version, or with 0, everything that is there comes first, as added', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace);
    for (const name of ['a', 'b']) await world.make('ConfigMap', namespace, { name });
    const changed = expect(200, await world.patch('merge', `${path}/a`, { data: { n: '2' } }));
    for (const query of ['', '&resourceVersion=', '&resourceVersion=0']) {
      const watch = await world.watch(`${path}?watch=1${query}`);
      const events = await watch.next(2);
      assert.deepEqual(events.map(short).sort(), ['ADDED a', 'ADDED b']);
      assert.deepEqual(events.find(({ object }) => object.metadata.name === 'a')?.object, changed);
      const made = await world.make('ConfigMap', namespace, { name: world.fresh('later') });
      assert.deepEqual((await watch.next(1))[0].object, made);
      await watch.stop();
      expect(200, await world.delete(`${path}/${made.metadata.name}`));
    }
  });

  test('R4.6-32 R4.6-33 a watch from a version begins with what came right after it', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace);
    const made = [];
    for (const name of ['a', 'b', 'c']) made.push(await world.make('ConfigMap', namespace, { name }));
    for (const [at, { metadata }] of made.slice(0, 2).entries()) {
      const watch = await world.watch(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}`);
      assert.deepEqual((await watch.next(made.length - at - 1)).map(({ object }) => object), made.slice(at + 1));
      await watch.stop();
    }
  });

  test('R6-38 with a selector an object that comes to match is added, and one that ceases to is deleted', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace);
    const watch = await world.watch(`${path}?watch=1&resourceVersion=${await world.latest()}&labelSelector=tier%3Dweb`);
    await world.make('ConfigMap', namespace, { name: 'a' });
    const label = async (tier: string | null): Promise<TestJson> => expect(200, await world.patch('merge', `${path}/a`, { metadata: { labels: { tier } } }));
    await label('web');
    expect(200, await world.patch('merge', `${path}/a`, { data: { n: '1' } }));
    await label('db');
    const events = await watch.next(3);
    await watch.stop();
    assert.deepEqual(events.map(short), ['ADDED a', 'MODIFIED a', 'DELETED a']);
    // The last state that matched, with the version of the change.
    assert.equal(events[2].object.metadata.labels.tier, 'web');
  });

  test('R4.3-43 R4.3-44 a label and a field that are called the same are two selectors, for watches of the same moment and for lists that are repeated', async () => {
    const namespace = await world.namespace();
    const path = world.path('Secret', namespace);
    const selectors = ['labelSelector=type%3Done', 'fieldSelector=type%3Done'];
    const watches = await Promise.all(selectors.map((selector) => world.watch(`${path}?watch=1&${selector}`)));
    for (const [name, label, type] of [['labelled', 'one', 'other'], ['typed', 'other', 'one']] as const) {
      await world.make('Secret', namespace, { name, labels: { type: label } }, { type });
    }
    assert.deepEqual((await Promise.all(watches.map((watch) => watch.next(1)))).map(([event]) => short(event)), ['ADDED labelled', 'ADDED typed']);
    await Promise.all(watches.map((watch) => watch.stop()));
    for (let time = 0; time < 3; time++) {
      const lists = await Promise.all(selectors.map(async (selector) => expect(200, await world.get(`${path}?resourceVersion=0&${selector}`))));
      assert.deepEqual(lists.map(({ items }) => items.map(({ metadata }: TestJson) => metadata.name)), [['labelled'], ['typed']]);
    }
  });
});

const PATH = '/api/v1/namespaces/default/configmaps';
const MINUTE_MS = 60_000;

for (const dialect of DIALECTS) {
  test(`R4.5-08 R9-41 R6-04 R6-05 R6-06 bookmarks come only to who wants them, hold a version alone, and after everything up to it (${dialect})`, async () => {
    const clock = new TurnedClock();
    const server = await startTestServer({ dialect, clock, controllers: 'none' });
    const make = async (name: string): Promise<string> => expect(201, await server.request('POST', PATH, { metadata: { name } })).metadata.resourceVersion;
    const wanted = await server.watch(`${PATH}?watch=1&resourceVersion=0&timeoutSeconds=600&allowWatchBookmarks=true`);
    const plain = await server.watch(`${PATH}?watch=1&resourceVersion=0&timeoutSeconds=600`);
    for (const name of ['a', 'b', 'c']) {
      await make(name);
      clock.turn(2 * MINUTE_MS);
    }
    clock.turn(10 * MINUTE_MS);
    const events = await wanted.rest();
    const bookmarks = events.filter(({ type }) => type === 'BOOKMARK');
    assert.ok(bookmarks.length > 0);
    let newest = 0n;
    for (const { type, object } of events) {
      const version = BigInt(object.metadata.resourceVersion);
      if (type === 'BOOKMARK') {
        const { resourceVersion, ...others } = object.metadata;
        assert.equal(typeof resourceVersion, 'string');
        assert.deepEqual([object.kind, object.data, others.name, others.uid], ['ConfigMap', undefined, undefined, undefined]);
        assert.ok(version >= newest, 'nothing that was sent is newer');
      } else {
        assert.ok(version > newest, 'nothing after a bookmark is as old as it');
      }
      newest = version;
    }
    assert.deepEqual((await plain.rest()).map(short), ['ADDED a', 'ADDED b', 'ADDED c']);
    await server.close();
  });

  test(`R4.5-11 R4.6-34 R6-37 R8-01 versions of the last five minutes can be watched from; an older one ends in an error, and a new list goes on (${dialect})`, async () => {
    const clock = new TurnedClock();
    const server = await startTestServer({ dialect, clock, controllers: 'none' });
    const make = async (name: string): Promise<string> => expect(201, await server.request('POST', PATH, { metadata: { name } })).metadata.resourceVersion;
    const old = await make('a');
    await make('b');
    clock.turn(299_000);
    await make('c');
    const young = await server.watch(`${PATH}?watch=1&resourceVersion=${old}`);
    assert.deepEqual((await young.next(2)).map(short), ['ADDED b', 'ADDED c']);
    await young.stop();
    for (const name of ['d', 'e', 'f']) {
      clock.turn(301_000);
      await make(name);
    }
    const [{ type, object }, ...more] = await (await server.watch(`${PATH}?watch=1&resourceVersion=${old}`)).rest();
    assert.deepEqual([type, object.kind, object.status, object.code, object.reason, more], ['ERROR', 'Status', 'Failure', 410, 'Expired', []]);
    const list = expect(200, await server.request('GET', PATH));
    const on = await server.watch(`${PATH}?watch=1&resourceVersion=${list.metadata.resourceVersion}`);
    await make('g');
    assert.deepEqual((await on.next(1)).map(short), ['ADDED g']);
    await on.stop();
    await server.close();
  });

  test(`R4.5-01 R4.3-45 a watch of a name that no object can have lasts and shows nothing; one in such a namespace says why it ends (${dialect})`, async () => {
    const clock = new TurnedClock();
    const server = await startTestServer({ dialect, clock, controllers: 'none' });
    const watches = await Promise.all(
      [`${PATH}?watch=1&timeoutSeconds=60&fieldSelector=metadata.name%3D..`, `${PATH.replace('api/v1', 'api/v1/watch')}/a%01?timeoutSeconds=60`].map((path) => server.watch(path)),
    );
    expect(201, await server.request('POST', PATH, { metadata: { name: 'a' } }));
    clock.turn(60_000);
    for (const watch of watches) assert.deepEqual(await watch.rest(), []);
    const [{ type, object }, ...more] = await (await server.watch('/api/v1/namespaces/a%01/configmaps?watch=1')).rest();
    assert.deepEqual([type, object.code, object.reason, more], ['ERROR', 404, 'NotFound', []]);
    await server.close();
  });
}
