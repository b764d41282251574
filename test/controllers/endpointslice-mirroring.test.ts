import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TestJson } from '#testing';
import { Cluster, DIALECTS } from './cluster.ts';

for (const dialect of DIALECTS) {
  describe(`Endpoints that are written by hand (${dialect})`, () => {
    let cluster: Cluster;
    before(async () => {
      cluster = await Cluster.start({ dialect, controllers: 'endpointslicemirroring', aggregateRoles: false });
    });
    after(() => cluster.server.close());

    const SLICES = 'discovery:default/endpointslices';
    const subsets = (...ips: readonly string[]): object => ({ subsets: [{ addresses: ips.map((ip) => ({ ip })), ports: [{ name: 'web', port: 80 }] }] });
    const makeService = (name: string, more: object = {}): Promise<TestJson> => cluster.make('default/services', { name }, { spec: { ports: [{ name: 'web', port: 80 }], ...more } });

    /** The slices of a service, once they are as many; by family. */
    async function slicesOf(service: string, isWanted: (slices: readonly TestJson[]) => boolean): Promise<readonly TestJson[]> {
      const only = `labelSelector=${encodeURIComponent(`${cluster.brand.names.serviceNameLabel}=${service}`)}`;
      const { items, metadata } = await cluster.ask('GET', `${cluster.path(SLICES)}?${only}`);
      const known = new Map<string, TestJson>(items.map((one: TestJson) => [one.metadata.name, one]));
      const watch = await cluster.server.watch(`${cluster.path(SLICES)}?watch=1&resourceVersion=${metadata.resourceVersion}&${only}`);
      while (!isWanted([...known.values()])) {
        const [{ type, object }] = await watch.next(1);
        if (type === 'DELETED') known.delete(object.metadata.name);
        else known.set(object.metadata.name, object);
      }
      await watch.stop();
      return [...known.values()].sort((one, other) => (one.addressType < other.addressType ? -1 : 1));
    }

    test('are shown as slices, one for each family, and followed', async () => {
      await makeService('hand');
      const { metadata } = await cluster.make('default/endpoints', { name: 'hand', labels: { a: 'b' } }, subsets('192.0.2.1', '2001:db8::1'));
      const [four, six] = await slicesOf('hand', ({ length }) => length === 2);
      assert.deepEqual([four.addressType, six.addressType], ['IPv4', 'IPv6']);
      assert.deepEqual(four.endpoints, [{ addresses: ['192.0.2.1'], conditions: { ready: true } }]);
      assert.deepEqual(four.ports, [{ name: 'web', port: 80, protocol: 'TCP' }]);
      assert.equal(four.metadata.labels.a, 'b');
      assert.equal(four.metadata.ownerReferences[0].uid, metadata.uid);
      await cluster.merge('default/endpoints', 'hand', subsets('192.0.2.2'));
      await slicesOf('hand', (slices) => slices.length === 1 && slices[0].endpoints[0].addresses[0] === '192.0.2.2');
      await cluster.delete('default/endpoints', 'hand');
      await slicesOf('hand', ({ length }) => length === 0);
    });

    test('are shown with everything that they say', async () => {
      await makeService('full');
      const targetRef = { kind: 'Pod', namespace: 'default', name: 'p', uid: 'u' };
      const port = { name: 'web', port: 80, protocol: 'UDP', appProtocol: 'http' };
      const addresses = [{ ip: '192.0.2.6', hostname: 'h', nodeName: 'n', targetRef }];
      await cluster.make('default/endpoints', { name: 'full' }, { subsets: [{ addresses, notReadyAddresses: [{ ip: '192.0.2.7' }], ports: [port] }] });
      const [slice] = await slicesOf('full', ({ length }) => length === 1);
      assert.deepEqual(slice.endpoints, [
        { addresses: ['192.0.2.6'], conditions: { ready: true }, hostname: 'h', nodeName: 'n', targetRef },
        { addresses: ['192.0.2.7'], conditions: { ready: false } },
      ]);
      assert.deepEqual(slice.ports, [port]);
      await cluster.delete('default/endpoints', 'full');
      await slicesOf('full', ({ length }) => length === 0);
    });

    test('subsets with the same ports are one slice, in which each endpoint stands once, as it is named last', async () => {
      await makeService('repeated');
      const [web, more] = [{ name: 'web', port: 80 }, { name: 'more', port: 81 }];
      const first = { addresses: [{ ip: '192.0.2.21' }, { ip: '192.0.2.22' }], ports: [web, more] };
      const second = { addresses: [{ ip: '192.0.2.23' }], notReadyAddresses: [{ ip: '192.0.2.21' }], ports: [more, web] };
      await cluster.make('default/endpoints', { name: 'repeated' }, { subsets: [first, second] });
      const slices = await slicesOf('repeated', (all) => all.flatMap(({ endpoints }) => endpoints as unknown[]).length >= 3);
      const shown = slices.flatMap(({ endpoints }) => endpoints as TestJson[]).map(({ addresses, conditions }) => [addresses[0], conditions.ready]);
      assert.equal(slices.length, 1);
      assert.deepEqual(shown, [['192.0.2.21', false], ['192.0.2.22', true], ['192.0.2.23', true]]);
      await cluster.delete('default/endpoints', 'repeated');
      await slicesOf('repeated', ({ length }) => length === 0);
    });

    test('of a subset a thousand are shown, whatever their families, and an event says how many are not', { timeout: 20_000 }, async () => {
      await makeService('crowd');
      const addressesOf = (count: number, prefix: string): readonly object[] => Array.from({ length: count }, (_, n) => ({ ip: `${prefix}${n + 1}` }));
      const crowdOf = (some: number, more: number): object => ({ subsets: [{ addresses: [...addressesOf(some, '2001:db8::'), ...addressesOf(more, '2001:db8:1::')], notReadyAddresses: addressesOf(3, '192.0.2.'), ports: [{ port: 80 }] }] });
      const { metadata } = await cluster.make('default/endpoints', { name: 'crowd' }, crowdOf(600, 399));
      const watch = await cluster.server.watch(`/api/v1/namespaces/default/events?watch=1&fieldSelector=involvedObject.uid=${metadata.uid}`);
      const next = async (): Promise<readonly unknown[]> => {
        const [{ object: { involvedObject, type, reason, message } }] = await watch.next(1);
        return [involvedObject.kind, type, reason, message];
      };
      const told = (skipped: number): readonly unknown[] =>
        ['Endpoints', 'Warning', 'TooManyAddressesToMirror', `A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`];
      assert.deepEqual(await next(), told(2));
      const slices = await slicesOf('crowd', ({ length }) => length === 2);
      assert.deepEqual(slices.map(({ addressType, endpoints }) => [addressType, endpoints.length]), [['IPv4', 1], ['IPv6', 999]]);
      // Another change that leaves out as many is not told.
      await cluster.merge('default/endpoints', 'crowd', { metadata: { labels: { a: 'b' } } });
      await slicesOf('crowd', (all) => all.every(({ metadata: { labels } }) => labels.a === 'b'));
      await cluster.merge('default/endpoints', 'crowd', crowdOf(600, 400));
      assert.deepEqual(await next(), told(3));
      await watch.stop();
      await cluster.delete('default/endpoints', 'crowd');
      await slicesOf('crowd', ({ length }) => length === 0);
    });

    test('are shown and followed while their service is being deleted', { timeout: 20_000 }, async () => {
      const finalizers = ['example.com/balancer'];
      await cluster.make('default/services', { name: 'leaving', finalizers }, { spec: { ports: [{ name: 'web', port: 80 }] } });
      await cluster.make('default/endpoints', { name: 'leaving' }, subsets('192.0.2.24'));
      const [slice] = await slicesOf('leaving', ({ length }) => length === 1);
      await cluster.delete('default/services', 'leaving');
      await cluster.merge('default/endpoints', 'leaving', subsets('192.0.2.25'));
      const [now] = await slicesOf('leaving', ([one]) => one?.endpoints[0].addresses[0] === '192.0.2.25');
      assert.equal(now.metadata.uid, slice.metadata.uid);
      await cluster.merge('default/services', 'leaving', { metadata: { finalizers: null } });
      await slicesOf('leaving', ({ length }) => length === 0);
    });

    test('slices have the annotations of the endpoints, but for those that speak of these alone', async () => {
      const { domain, lastAppliedAnnotation } = cluster.brand.names;
      await makeService('told');
      const alone = { [`endpoints.${domain}/last-change-trigger-time`]: 'now', [lastAppliedAnnotation]: '{}' };
      await cluster.make('default/endpoints', { name: 'told', annotations: { a: 'b', ...alone } }, subsets('192.0.2.5'));
      const [first] = await slicesOf('told', ({ length }) => length === 1);
      assert.deepEqual(first.metadata.annotations, { a: 'b' });
      await cluster.merge('default/endpoints', 'told', { metadata: { annotations: { a: null, c: 'd' } } });
      await slicesOf('told', ([slice]) => slice.metadata.annotations?.c === 'd' && slice.metadata.annotations.a === undefined);
      await cluster.delete('default/endpoints', 'told');
      await slicesOf('told', ({ length }) => length === 0);
    });

    test('a slice whose label somebody changes is taken back; one that is of somebody else is left alone', { timeout: 20_000 }, async () => {
      const label = `${cluster.brand.names.endpointSliceDomain}/managed-by`;
      await makeService('taken');
      await cluster.make('default/endpoints', { name: 'taken' }, subsets('192.0.2.8'));
      const [slice] = await slicesOf('taken', ({ length }) => length === 1);
      await cluster.merge(SLICES, slice.metadata.name, { metadata: { labels: { [label]: 'somebody' } } });
      await slicesOf('taken', ([one]) => one.metadata.labels[label] === slice.metadata.labels[label]);
      await cluster.merge('default/endpoints', 'taken', subsets('192.0.2.9'));
      await slicesOf('taken', ([one]) => one.endpoints[0].addresses[0] === '192.0.2.9');

      await cluster.delete('default/endpoints', 'taken');
      await slicesOf('taken', ({ length }) => length === 0);
      const other = await cluster.make(SLICES, { name: slice.metadata.name }, { addressType: 'IPv4', endpoints: [], ports: [] });
      await cluster.make('default/endpoints', { name: 'taken' }, subsets('192.0.2.8', '2001:db8::2'));
      await slicesOf('taken', ({ length }) => length === 1);
      assert.deepEqual(await cluster.get(SLICES, slice.metadata.name), other);
      await cluster.delete('default/endpoints', 'taken');
      await slicesOf('taken', ({ length }) => length === 0);
    });

    test('a slice that names Endpoints of before comes to name those that were made again', { timeout: 20_000 }, async () => {
      await makeService('again');
      const { metadata } = await cluster.make('default/endpoints', { name: 'again' }, subsets('192.0.2.11'));
      const [slice] = await slicesOf('again', ({ length }) => length === 1);
      const [owner] = slice.metadata.ownerReferences;
      await cluster.merge(SLICES, slice.metadata.name, { metadata: { ownerReferences: [{ ...owner, uid: 'of-those-before' }] } });
      const [now] = await slicesOf('again', ([one]) => one?.metadata.ownerReferences[0].uid === metadata.uid);
      assert.deepEqual([now.metadata.uid, now.metadata.ownerReferences], [slice.metadata.uid, [owner]]);
      await cluster.delete('default/endpoints', 'again');
      await slicesOf('again', ({ length }) => length === 0);
    });

    test('what somebody looks after already is left alone', async () => {
      const { endpointSliceDomain, apiService } = cluster.brand.names;
      await makeService('selected', { selector: { app: 'a' } });
      await cluster.make('default/endpoints', { name: 'selected' }, subsets('192.0.2.3'));
      await makeService('skipped');
      await cluster.make('default/endpoints', { name: 'skipped', labels: { [`${endpointSliceDomain}/skip-mirror`]: 'true' } }, subsets('192.0.2.3'));
      await cluster.make('default/endpoints', { name: 'without-service' }, subsets('192.0.2.3'));
      await makeService('fence');
      await cluster.make('default/endpoints', { name: 'fence' }, subsets('192.0.2.4'));
      await slicesOf('fence', ({ length }) => length === 1);
      const managed = `labelSelector=${encodeURIComponent(`${endpointSliceDomain}/managed-by`)}`;
      const { items } = await cluster.ask('GET', `${cluster.path(SLICES)}?${managed}`);
      assert.deepEqual(items.map((one: TestJson) => one.metadata.labels[cluster.brand.names.serviceNameLabel]), ['fence']);
      assert.ok(await cluster.isThere('default/services', apiService));
    });
  });
}
