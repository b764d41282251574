import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestJson } from '#testing';
import { KINDS } from './kinds.table.ts';
import { everywhere, expect, PLACES } from './world.ts';

everywhere(PLACES.withSockets, (world) => {
  const table = (version = 'v1') => ({ accept: `application/json;as=Table;g=${world.brand.group('meta')};v=${version}` });

  test('R2.5-01 R2.5-02 R2.5-05 R2.5-06 R2.5-10 every built kind has a table with named and typed columns', async () => {
    for (const row of KINDS) {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      const name = world.fresh('row');
      await world.make(row.kind, namespace, { name });
      for (const path of [world.path(row.kind, namespace), world.path(row.kind, namespace, name)]) {
        const found = expect(200, await world.get(path, table()));
        assert.deepEqual([found.kind, found.apiVersion], ['Table', `${world.brand.group('meta')}/v1`]);
        for (const column of found.columnDefinitions) assert.deepEqual([typeof column.name, typeof column.type], ['string', 'string']);
        assert.equal(found.columnDefinitions[0].name, 'Name');
        assert.ok(found.rows.some(({ cells }: TestJson) => cells[0] === name));
        for (const { cells } of found.rows) assert.equal(cells.length, found.columnDefinitions.length);
      }
    }
  });

  test('R2.5-03 R2.5-04 the older version of the table is served when asked for', async () => {
    const found = expect(200, await world.get('/api/v1/namespaces', table('v1beta1')));
    assert.equal(found.apiVersion, `${world.brand.group('meta')}/v1beta1`);
    assert.equal(found.kind, 'Table');
  });

  test('R2.5-12 cells, formats and priorities; a row carries metadata, the object or nothing', async () => {
    const namespace = await world.namespace();
    await world.make('ConfigMap', namespace, { name: 'a' }, { data: { x: '1', y: '2' } });
    const path = world.path('ConfigMap', namespace);
    const found = expect(200, await world.get(path, table()));
    assert.deepEqual(found.columnDefinitions.map((one: TestJson) => [one.name, one.type, one.format, one.priority]), [
      ['Name', 'string', 'name', 0],
      ['Data', 'string', '', 0],
      ['Age', 'string', '', 0],
    ]);
    assert.deepEqual(found.rows[0].cells.slice(0, 2), ['a', 2]);
    assert.equal(found.rows[0].object.kind, 'PartialObjectMetadata');
    assert.equal(found.rows[0].object.metadata.name, 'a');
    const whole = expect(200, await world.get(`${path}?includeObject=Object`, table()));
    assert.deepEqual([whole.rows[0].object.kind, whole.rows[0].object.data], ['ConfigMap', { x: '1', y: '2' }]);
    assert.equal(expect(200, await world.get(`${path}?includeObject=None`, table())).rows[0].object, null);
    assert.equal((await world.get(`${path}?includeObject=Everything`, table())).status, 400);
  });

  test('R2.5-05 a watch sends tables too, with columns in the first event only', async () => {
    const namespace = await world.namespace();
    await world.make('ConfigMap', namespace, { name: 'a' });
    const watch = await world.watch(`${world.path('ConfigMap', namespace)}?watch=1`, table());
    await world.make('ConfigMap', namespace, { name: 'b' });
    const [first, second] = await watch.next(2);
    await watch.stop();
    assert.deepEqual([first.object.kind, first.object.columnDefinitions.length, first.object.rows[0].cells[0]], ['Table', 3, 'a']);
    assert.deepEqual([second.object.columnDefinitions?.length ?? 0, second.object.rows[0].cells[0]], [0, 'b']);
  });

  test('R2.5-12 rows of pods that have ended say so, those of flow schemas are in the order in which requests meet them', async () => {
    const namespace = await world.namespace();
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const spec = { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] };
    expect(201, await world.post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }));
    for (const name of ['a', 'b']) expect(201, await world.post(pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec }));
    expect(200, await world.patch('merge', `${pods}/a/status`, { status: { phase: 'Succeeded' } }));
    const { rows } = expect(200, await world.get(pods, table()));
    const message = 'The pod has completed successfully.';
    assert.deepEqual(rows.map((row: TestJson) => row.conditions), [[{ type: 'Completed', status: 'True', reason: 'Succeeded', message }], undefined]);
    const schemas = expect(200, await world.get(`/apis/${world.brand.group('flowcontrol')}/v1beta2/flowschemas`, table()));
    const precedences = schemas.rows.map(({ cells }: TestJson) => cells[2]);
    assert.ok(precedences.length > 5);
    assert.deepEqual(precedences, precedences.toSorted((one: number, other: number) => one - other));
  });

  test('R2.5-12 labels stand in the order of their text, so that a key with more behind it comes before the key alone; selectors stand in the order of keys', async () => {
    const namespace = await world.namespace();
    const labels = { app: 'web', 'app-kind': 'x', 'app.example.com/name': 'shop' };
    const [byText, byKey] = ['app-kind=x,app.example.com/name=shop,app=web', 'app=web,app-kind=x,app.example.com/name=shop'];
    const template = { metadata: { labels }, spec: { nodeSelector: labels, containers: [{ name: 'c', image: 'i' }] } };
    const shown = async (folder: string, resource: string, body: object): Promise<unknown> => {
      const { rows } = expect(201, await world.post(`/${folder}/namespaces/${namespace}/${resource}`, { metadata: { name: 'a' }, ...body }, table()));
      return rows[0].cells.filter((cell: unknown) => typeof cell === 'string' && cell.includes('app=web'));
    };
    assert.deepEqual(await shown('api/v1', 'services', { spec: { selector: labels, ports: [{ port: 80 }] } }), [byText]);
    assert.deepEqual(await shown('api/v1', 'podtemplates', { template }), [byText]);
    assert.deepEqual(await shown('api/v1', 'replicationcontrollers', { spec: { selector: labels, template } }), [byText]);
    assert.deepEqual(await shown('apis/apps/v1', 'daemonsets', { spec: { selector: { matchLabels: labels }, template } }), [byText, byKey]);
  });
});
