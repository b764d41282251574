// A namespace that goes takes the objects of every kind with it, those that something holds once it lets go.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIALECTS } from '#api';
import { startTestServer, TurnedClock, type TestJson } from '#testing';
import { examplesOf } from '../kinds/examples.ts';
import { expect } from './world.ts';

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
}
