// A namespace that goes takes the objects of every kind with it, those that something holds once it lets go.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definePlugin } from '#admission';
import { DIALECTS } from '#api';
import { startTestServer, TurnedClock, type TestJson } from '#testing';
import { examplesOf } from '../kinds/examples.ts';
import { expect, expectFailure } from './world.ts';

for (const dialect of DIALECTS) {
  test(`RX-17 objects of every kind go with their namespace, those with finalizers once these are gone (${dialect})`, async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): number => warnings.push(warning);
    process.on('warning', onWarning);
    const server = await startTestServer({ dialect, clock: new TurnedClock(), controllers: 'namespace' });
    expect(201, await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'n' } }));
    expect(201, await server.request('POST', '/api/v1/namespaces/n/serviceaccounts', { metadata: { name: 'default' } }));
    const inside = examplesOf(dialect).filter(({ resource, served }) => resource.kind.scope === 'Namespaced' && served.version === resource.storage.version);
    assert.ok(inside.length > 25, String(inside.length));
    const made: { readonly item: string; readonly collection: string }[] = [];
    for (const { path, body } of inside) {
      const held = { ...body, metadata: { ...body.metadata, finalizers: ['example.com/hold'] } };
      const answer = await server.request('POST', path, held);
      // Two groups have the same events.
      if (answer.status === 409) continue;
      made.push({ item: `${path}/${expect(201, answer).metadata.name}`, collection: path });
    }
    const watch = await server.watch('/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3Dn');
    expect(200, await server.request('DELETE', '/api/v1/namespaces/n'));
    const isHeld = ({ object }: TestJson): boolean =>
      object.status.conditions?.some(({ type, message }: TestJson) => type === 'NamespaceFinalizersRemaining' && /example\.com\/hold in \d+ resource instances/.test(message));
    for (let [event] = await watch.next(1); !isHeld(event); [event] = await watch.next(1)) assert.notEqual(event.type, 'DELETED');
    // Policies stay to guard the pods until these are gone.
    for (const { item } of made.filter(({ item }) => !item.includes('/networkpolicies/'))) {
      assert.equal(typeof expect(200, await server.request('GET', item)).metadata.deletionTimestamp, 'string', item);
    }
    for (const { item } of made) expect(200, await server.patch('merge', item, { metadata: { finalizers: null } }));
    for (let [event] = await watch.next(1); event.type !== 'DELETED'; [event] = await watch.next(1)) assert.equal(event.object.status.phase, 'Terminating');
    await watch.stop();
    for (const { collection } of made) assert.deepEqual(expect(200, await server.request('GET', collection)).items, [], collection);
    await server.close();
    process.off('warning', onWarning);
    // A watch of each of so many kinds gathers no listeners in one place.
    assert.deepEqual(warnings, []);
  });
  test(`RX-17 what is admitted before its namespace goes is made before that or never, and is not there when the namespace comes back (${dialect})`, async () => {
    let meanwhile = async (): Promise<void> => {};
    const slow = definePlugin({ name: 'Slow', enabled: true, band: 'builtin', create: () => ({ on: ['CREATE'], kinds: ['/configmaps'], validate: () => meanwhile() }) });
    const server = await startTestServer({ dialect, controllers: 'none', admission: { plugins: [slow] } });
    const maps = '/api/v1/namespaces/n/configmaps';
    const ways = {
      POST: () => server.request('POST', maps, { metadata: { name: 'late' } }),
      apply: () => server.patch('apply', `${maps}/late?fieldManager=m`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } }),
    };
    const namespace = '/api/v1/namespaces/n';
    const change = async (): Promise<void> => void expect(200, await server.patch('merge', namespace, { metadata: { labels: { a: 'b' } } }));
    const terminate = async (): Promise<void> => void expect(200, await server.request('DELETE', namespace));
    const finalize = async (): Promise<void> => void expect(200, await server.request('PUT', `${namespace}/finalize`, { metadata: { name: 'n' }, spec: {} }));
    const goes = async (): Promise<void> => terminate().then(finalize);
    for (const make of Object.values(ways)) {
      expect(201, await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'n' } }));
      meanwhile = change;
      expect(201, await make());
      expect(200, await server.request('DELETE', `${maps}/late`));
      meanwhile = terminate;
      assert.equal(expectFailure(403, 'Forbidden', await make()).details.causes[0].reason, 'NamespaceTerminating');
      await finalize();
      expect(201, await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'n' } }));
      meanwhile = goes;
      expectFailure(404, 'NotFound', await make());
      expect(201, await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'n' } }));
      assert.deepEqual(expect(200, await server.request('GET', maps)).items, []);
      await goes();
    }
    await server.close();
  });
}
