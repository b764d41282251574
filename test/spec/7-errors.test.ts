import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIALECTS } from '#api';
import { startTestServer, TEST_TOKENS, TurnedClock, type TestServer } from '#testing';
import { causesOf, everywhere, expect, expectFailure, PLACES } from './world.ts';

everywhere(PLACES.withSockets, (world) => {
  test('R7-01 R7-02 success is 200, and 201 for what was made', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace);
    expect(201, await world.post(path, world.object('ConfigMap', { name: 'a' })));
    expect(200, await world.get(`${path}/a`));
    expect(201, await world.patch('apply', `${path}/b?fieldManager=m`, world.object('ConfigMap', { name: 'b' })));
    expect(200, await world.delete(`${path}/b`));
  });

  test('R7-03 202 for a delete that is accepted and not finished, when dependents were not to be orphaned', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace, 'a');
    await world.make('ConfigMap', namespace, { name: 'a', finalizers: ['example.com/f'] });
    assert.ok(expect(202, await world.delete(path, { orphanDependents: false })).metadata.deletionTimestamp);
  });

  test('R7-04 R7-05 400 for parameters that do not fit together', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace);
    for (const name of ['a', 'b']) await world.make('ConfigMap', namespace, { name });
    const first = expect(200, await world.get(`${path}?limit=1`));
    const token = encodeURIComponent(first.metadata.continue);
    expectFailure(400, 'BadRequest', await world.get(`${path}?limit=1&continue=${token}&resourceVersion=${first.metadata.resourceVersion}`));
    expect(200, await world.get(`${path}?limit=1&continue=${token}&resourceVersion=0`));
  });

  test('R7-06 R7-07 401 for credentials and bearer tokens nobody knows', async () => {
    for (const authorization of ['Bearer nobody', 'bearer nobody', 'Bearer x y']) {
      const status = expectFailure(401, 'Unauthorized', await world.get('/api/v1/namespaces', { authorization }));
      assert.equal(status.message, 'Unauthorized');
    }
  });

  test('R7-10 403 says who may not do what', async () => {
    const answer = await world.get('/api/v1/namespaces/default/secrets/a', { authorization: `Bearer ${TEST_TOKENS.alice}` });
    const status = expectFailure(403, 'Forbidden', answer);
    assert.deepEqual([status.details.kind, status.details.name], ['secrets', 'a']);
    assert.match(status.message, /User "alice" cannot get resource "secrets"/);
    expectFailure(403, 'Forbidden', await world.get('/api/v1/namespaces', { authorization: '' }));
  });

  test('R7-11 406 names what there is', async () => {
    const answer = await world.get('/api/v1/namespaces', { accept: 'text/html' });
    assert.equal(answer.status, 406);
    assert.match(answer.body.message, /application\/json/);
  });

  test('R7-22 R7-23 409 for an apply of what another manager applied, with the manager and the field', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace, 'a');
    const apply = (manager: string, value: string) => world.patch('apply', `${path}?fieldManager=${manager}`, world.object('ConfigMap', { name: 'a' }, { data: { k: value } }));
    expect(201, await apply('one', '1'));
    const status = expectFailure(409, 'Conflict', await apply('two', '2'));
    assert.deepEqual(causesOf(status), ['FieldManagerConflict .data.k']);
    assert.match(status.details.causes[0].message, /"one"/);
    assert.equal(expect(200, await world.get(path)).data.k, '1');
  });

  test('R7-25 R7-26 422 has a cause for each field', async () => {
    const namespace = await world.namespace();
    const bad = world.object('ConfigMap', { name: 'UPPER', labels: { 'bad key': 'x' } }, { data: { 'a/b': '1' } });
    const status = expectFailure(422, 'Invalid', await world.post(world.path('ConfigMap', namespace), bad));
    assert.deepEqual(causesOf(status), ['FieldValueInvalid data[a/b]', 'FieldValueInvalid metadata.labels', 'FieldValueInvalid metadata.name']);
    assert.deepEqual([status.details.kind, status.details.name], ['ConfigMap', 'UPPER']);
  });

  test('R7-27 R7-28 403 when an admission plugin rejects, and nothing of the request is done', async () => {
    expectFailure(403, 'Forbidden', await world.delete('/api/v1/namespaces/default'));
    assert.equal(expect(200, await world.get('/api/v1/namespaces/default')).metadata.deletionTimestamp, undefined);
  });

  test('R7-34 404, 405, 409, 413 and 415', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace);
    const made = await world.make('ConfigMap', namespace, { name: 'a' });
    assert.deepEqual(expectFailure(404, 'NotFound', await world.get(`${path}/none`)).details, { name: 'none', kind: 'configmaps' });
    expectFailure(404, 'NotFound', await world.get('/api/v1/nothings'));
    expectFailure(405, 'MethodNotAllowed', await world.post(`${path}/a`, {}));
    expectFailure(409, 'AlreadyExists', await world.post(path, world.object('ConfigMap', { name: 'a' })));
    expect(200, await world.patch('merge', `${path}/a`, { data: { n: '1' } }));
    expectFailure(409, 'Conflict', await world.put(`${path}/a`, made));
    expectFailure(415, 'UnsupportedMediaType', await world.post(path, 'x', { 'content-type': 'text/plain' }));
    const large = world.object('ConfigMap', { name: 'large' }, { data: { a: 'x'.repeat(3 * 1024 * 1024) } });
    expectFailure(413, 'RequestEntityTooLarge', await world.post(path, large));
  });

  test('R7-19 R7-20 R7-21 504 for a version that does not come, with Retry-After', async () => {
    const future = String(BigInt(await world.latest()) + 1_000_000n);
    const answer = await world.get(`/api/v1/configmaps?resourceVersion=${future}&resourceVersionMatch=NotOlderThan`);
    const status = expectFailure(504, 'Timeout', answer);
    assert.match(status.message, /^Too large resource version/);
    assert.equal(status.details.causes[0].reason, 'ResourceVersionTooLarge');
    assert.equal(answer.headers['retry-after'], String(status.details.retryAfterSeconds));
  });
});

const path = '/api/v1/namespaces/default/configmaps';
const HISTORY_MS = 5 * 60_000;

/** A server whose oldest versions are gone: one object from before, one from after. */
async function afterCompaction(server: TestServer, clock: TurnedClock): Promise<{ readonly old: string; readonly token: string }> {
  const make = async (name: string) => expect(201, await server.request('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }));
  const first = await make('a');
  await make('b');
  const { metadata } = expect(200, await server.request('GET', `${path}?limit=1`));
  // Two turns: history is cut at what was the newest version one period ago.
  for (let turn = 0; turn < 3; turn++) {
    clock.turn(HISTORY_MS + 1000);
    await make(`after-${turn}`);
  }
  return { old: first.metadata.resourceVersion, token: encodeURIComponent(metadata.continue) };
}

for (const dialect of DIALECTS) {
  test(`R7-16 R7-17 NotOlderThan with a limit is a list of today, however old the version; 410 comes when its chunks are no longer kept (${dialect})`, async () => {
    const clock = new TurnedClock();
    const server = await startTestServer({ dialect, clock, controllers: 'none' });
    const { old } = await afterCompaction(server, clock);
    const first = expect(200, await server.request('GET', `${path}?limit=1&resourceVersion=${old}&resourceVersionMatch=NotOlderThan`));
    assert.equal(first.items.length, 1);
    assert.equal(first.metadata.resourceVersion, expect(200, await server.request('GET', path)).metadata.resourceVersion);
    const next = `${path}?limit=1&continue=${encodeURIComponent(first.metadata.continue)}`;
    expect(200, await server.request('GET', next));
    for (let turn = 0; turn < 3; turn++) {
      clock.turn(HISTORY_MS + 1000);
      expect(201, await server.request('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `later-${turn}` } }));
    }
    expectFailure(410, 'Expired', await server.request('GET', next));
    await server.close();
  });

  test(`R7-12 R7-13 R7-14 R7-15 R7-18 410 for versions that are no longer kept (${dialect})`, async () => {
    const clock = new TurnedClock();
    const server = await startTestServer({ dialect, clock, controllers: 'none' });
    const { old, token } = await afterCompaction(server, clock);
    const exact = expectFailure(410, 'Expired', await server.request('GET', `${path}?resourceVersion=${old}&resourceVersionMatch=Exact`));
    assert.match(exact.message, new RegExp(`^too old resource version: revision ${old} is no longer kept; the oldest one is \\d+$`));
    expectFailure(410, 'Expired', await server.request('GET', `${path}?limit=1&resourceVersion=${old}`));
    expectFailure(410, 'Expired', await server.request('GET', `${path}?limit=1&continue=${token}`));
    // A watch says so inside its stream, and ends.
    const watch = await server.watch(`${path}?watch=1&resourceVersion=${old}`);
    const [event, ...more] = await watch.rest();
    assert.deepEqual([event.type, event.object.code, event.object.reason, event.object.message, more], ['ERROR', 410, 'Expired', exact.message, []]);
    await server.close();
  });
}
