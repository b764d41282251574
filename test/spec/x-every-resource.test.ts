// What holds for every resource that discovery lists, whatever its kind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestAnswer, TestJson } from '#testing';
import { KINDS } from './kinds.table.ts';
import { causesOf, everywhere, expect, expectFailure, PLACES, type World } from './world.ts';

interface Listed {
  /** Of the collection, or of the subresource of an object. */
  readonly path: string;
  readonly name: string;
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
}

async function listed(world: World): Promise<readonly Listed[]> {
  const { groups } = expect(200, await world.get('/apis'));
  const roots: string[] = ['/api/v1', ...groups.flatMap(({ versions }: TestJson) => versions.map(({ groupVersion }: TestJson) => `/apis/${groupVersion}`))];
  const found: Listed[] = [];
  for (const root of roots) {
    for (const { name, namespaced, verbs } of expect(200, await world.get(root)).resources) {
      const [plural, ...rest] = name.split('/');
      const place = namespaced ? `${root}/namespaces/default` : root;
      const path = rest.length === 0 ? `${place}/${plural}` : `${place}/${plural}/none/${rest.join('/')}`;
      found.push({ path, name: `${root} ${name}`, isNamespaced: namespaced, verbs });
    }
  }
  return found;
}

type Headers = Readonly<Record<string, string>>;

/** A request for a verb that discovery lists; what it is about need not be there. */
function ask(world: World, { path, name }: Listed, verb: string, headers: Headers): Promise<TestAnswer> {
  const item = name.includes('/', name.indexOf(' ')) ? path : `${path}/none`;
  switch (verb) {
    case 'list':
      return world.get(path, headers);
    case 'watch':
      return world.get(`${path}?watch=1`, headers);
    case 'create':
      return world.post(name.includes('/', name.indexOf(' ')) ? item : path, {}, headers);
    case 'deletecollection':
      return world.delete(path, undefined, headers);
    case 'delete':
      return world.delete(item, undefined, headers);
    case 'update':
      return world.put(item, {}, headers);
    case 'patch':
      return world.patch('merge', item, {}, headers);
    default:
      return world.get(item, headers);
  }
}

everywhere(PLACES.both, (world) => {
  test('RX-03 RX-04 RX-22 each operation of each resource is refused with a Status to who is nobody, and to who may not', async () => {
    const all = await listed(world);
    assert.ok(all.length > 100, String(all.length));
    // Everybody may ask about themselves.
    const open = /selfsubject(?:access|rules)reviews$/;
    for (const one of all) {
      for (const verb of one.verbs) {
        expectFailure(401, 'Unauthorized', await ask(world, one, verb, { authorization: 'Bearer nobody' }));
        if (!open.test(one.name)) expectFailure(403, 'Forbidden', await ask(world, one, verb, { 'impersonate-user': 'stranger' }));
      }
    }
  });

  test('RX-07 every collection is listed, selected from, cut into chunks and watched in the same way', async () => {
    for (const { path, name, verbs } of await listed(world)) {
      if (!verbs.includes('list') || !verbs.includes('watch')) continue;
      const { metadata, items, kind } = expect(200, await world.get(path));
      assert.match(kind, /List$/, name);
      assert.ok(Array.isArray(items), name);
      const selected = expect(200, await world.get(`${path}?labelSelector=nobody%3Dhas-this&limit=1`));
      assert.deepEqual([selected.items, selected.metadata.continue ?? ''], [[], ''], name);
      assert.deepEqual(expect(200, await world.get(`${path}?fieldSelector=metadata.name%3Dnobody`)).items, [], name);
      const exact = expect(200, await world.get(`${path}?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`));
      assert.deepEqual([exact.metadata.resourceVersion, exact.items.length], [metadata.resourceVersion, items.length], name);
      const chunk = expect(200, await world.get(`${path}?limit=1`));
      assert.equal(chunk.items.length, Math.min(1, items.length), name);
      assert.equal(Boolean(chunk.metadata.continue), items.length > 1, name);
      const watch = await world.watch(`${path}?watch=1&resourceVersion=0`);
      const events = await watch.next(items.length);
      await watch.stop();
      assert.deepEqual(events.map(({ type, object }) => `${type} ${object.metadata.name}`).sort(), items.map((one: TestJson) => `ADDED ${one.metadata.name}`).sort(), name);
    }
  });

  for (const row of KINDS) {
    test(`RX-16 ${row.kind}: an object with finalizers stays, marked, until the last is gone, however it was deleted`, async () => {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      for (const isCollection of row.kind === 'Namespace' ? [false] : [false, true]) {
        const name = world.fresh('f');
        const path = world.path(row.kind, namespace, name);
        await world.make(row.kind, namespace, { name, finalizers: ['example.com/a', 'example.com/b'] });
        const selected = `${world.path(row.kind, namespace)}?fieldSelector=metadata.name%3D${name}`;
        expect(200, await world.delete(isCollection ? selected : path));
        const marked = expect(200, await world.get(path));
        assert.equal(typeof marked.metadata.deletionTimestamp, 'string');
        const left = expect(200, await world.patch('merge', path, { metadata: { finalizers: ['example.com/b'] } }));
        assert.equal(left.metadata.deletionTimestamp, marked.metadata.deletionTimestamp);
        // No finalizer comes to an object that goes.
        expectFailure(422, 'Invalid', await world.patch('merge', path, { metadata: { finalizers: ['example.com/b', 'example.com/c'] } }));
        expect(200, await world.patch('merge', path, { metadata: { finalizers: null } }));
        if (row.kind !== 'Namespace') expectFailure(404, 'NotFound', await world.get(path));
      }
    });
  }

  for (const row of KINDS) {
    test(`RX-18 ${row.kind}: what is not valid is refused for the same reason, however it is written and whether it is tried or meant`, async () => {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      const name = world.fresh('v');
      const path = world.path(row.kind, namespace, name);
      const made = await world.make(row.kind, namespace, { name });
      const labels = { good: 'not good' };
      const causes = ['FieldValueInvalid metadata.labels'];
      for (const query of ['', '?dryRun=All']) {
        const and = query === '' ? '?' : `${query}&`;
        const refusals = [
          await world.post(`${world.path(row.kind, namespace)}${query}`, world.object(row.kind, { name: world.fresh('v'), labels })),
          await world.put(`${path}${query}`, { ...made, metadata: { ...made.metadata, labels } }),
          await world.patch('merge', `${path}${query}`, { metadata: { labels } }),
          await world.patch('strategic', `${path}${query}`, { metadata: { labels } }),
          await world.patch('json', `${path}${query}`, [{ op: 'add', path: '/metadata/labels', value: { ...made.metadata.labels, ...labels } }]),
          await world.patch('apply', `${path}${and}fieldManager=m&force=true`, world.object(row.kind, { name, labels })),
        ];
        for (const refusal of refusals) assert.deepEqual(causesOf(expectFailure(422, 'Invalid', refusal)), causes);
      }
      assert.deepEqual(expect(200, await world.get(path)), made);
    });
  }

  test('RX-09 what the author leaves out is filled in for everybody who sees the object, tried or made', async () => {
    const namespace = await world.namespace();
    const filled = { Deployment: { replicas: 1, progressDeadlineSeconds: 600, revisionHistoryLimit: 10 }, DaemonSet: { revisionHistoryLimit: 10 }, NetworkPolicy: { policyTypes: ['Ingress'] } };
    for (const [kind, wanted] of Object.entries(filled)) {
      const path = world.path(kind, namespace);
      const watch = await world.watch(`${path}?watch=1&resourceVersion=${await world.latest()}`);
      const seen = [expect(201, await world.post(`${path}?dryRun=All`, world.object(kind, { name: 'tried' }))), await world.make(kind, namespace, { name: 'made' })];
      seen.push(expect(200, await world.get(`${path}/made`)), expect(200, await world.get(path)).items[0], (await watch.next(1))[0].object);
      await watch.stop();
      for (const { spec } of seen) for (const [member, value] of Object.entries(wanted)) assert.deepEqual(spec[member], value, `${kind} ${member}`);
    }
  });

  test('R3.2-15 R3.2-16 R3.2-17 R3.2-18 only DaemonSets among these have a state beside what their author wrote, and only through status', async () => {
    const namespace = await world.namespace();
    const webhooks = `/apis/${world.brand.group('admissionregistration')}/v1`;
    for (const path of [world.path('NetworkPolicy', namespace), world.path('PriorityClass', ''), `${webhooks}/validatingwebhookconfigurations`, `${webhooks}/mutatingwebhookconfigurations`]) {
      assert.equal((await world.get(`${path}/any/status`)).status, 404, path);
      assert.ok(!(await listed(world)).some(({ name }) => name === `${path.replace(/\/namespaces\/[^/]+/, '').replace(/\/([^/]+)$/, ' $1')}/status`), path);
    }
    const made = await world.make('DaemonSet', namespace, { name: 'd' });
    assert.deepEqual([made.status.numberReady, made.metadata.generation], [0, 1]);
    const path = world.path('DaemonSet', namespace, 'd');
    const counted = { ...made.status, currentNumberScheduled: 2, numberReady: 2, desiredNumberScheduled: 2, observedGeneration: 1 };
    assert.equal(expect(200, await world.put(path, { ...made, status: counted })).status.numberReady, 0);
    const seen = expect(200, await world.put(`${path}/status`, { ...made, status: counted }));
    assert.deepEqual([seen.status.numberReady, seen.metadata.generation], [2, 1]);
    const changed = expect(200, await world.patch('merge', path, { spec: { minReadySeconds: 5 } }));
    assert.deepEqual([changed.status.observedGeneration, changed.metadata.generation], [1, 2]);
  });
});
