// What webhooks are shown is what was sent: the server has its say about an object after them.
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { DIALECTS } from '#api';
import { expect, expectFailure } from './world.ts';
import { allowing, patching } from '../support/webhook-server.ts';
import { WebhookWorld } from '../support/webhook-world.ts';

const rule = (operation: string, resource: string): object => ({ apiGroups: [''], apiVersions: ['v1'], operations: [operation], resources: [resource] });

for (const dialect of DIALECTS) {
  describe(dialect, () => {
    const world = new WebhookWorld(dialect);
    // Declarations are changed by it: equivalence is not a matter of the same declaration.
    before(() => world.start({ serving: { eventTtlSeconds: 60 } }));
    after(() => world.end());
    afterEach(() => world.forget());

    test('an object that says no namespace is shown without one, and options as they were asked for', async () => {
      const namespace = await world.namespace();
      const hook = world.webhook(namespace, allowing(), { rules: [rule('*', 'configmaps')] });
      await world.register('Mutating', [hook]);
      const maps = `/api/v1/namespaces/${namespace}/configmaps`;
      expect(201, await world.request('POST', `${maps}?fieldValidation=Strict`, { metadata: { name: 'a' } }));
      expect(201, await world.request('POST', maps, { metadata: { name: 'b', namespace } }));
      expect(200, await world.request('PUT', `${maps}/b?fieldValidation=Warn`, { metadata: { name: 'b' }, data: { a: 'b' } }));
      expectFailure(400, 'BadRequest', await world.request('POST', maps, { metadata: { name: 'c', namespace: 'other' } }));
      const asked = world.asked(hook);
      assert.deepEqual(asked.map(({ object }) => object.metadata.namespace), [undefined, namespace, undefined, 'other']);
      assert.deepEqual(asked.map(({ options }) => options.fieldValidation), ['Strict', undefined, 'Warn', undefined]);
    });

    test('an object that was moved to another namespace is refused', async () => {
      const namespace = await world.namespace();
      const hook = world.webhook(namespace, patching([{ op: 'add', path: '/metadata/namespace', value: 'other' }]), { rules: [rule('*', 'configmaps')] });
      await world.register('Mutating', [hook]);
      const failure = expectFailure(400, 'BadRequest', await world.createMap(namespace, '', {}, { name: 'm' }));
      assert.equal(failure.message, 'the namespace of the provided object does not match the namespace sent on the request');
    });

    test('one kind in two groups is one kind', async () => {
      const namespace = await world.namespace();
      const group = world.brand.group('events');
      const hook = world.webhook(namespace, allowing(), { rules: [rule('CREATE', 'events')] });
      await world.register('Validating', [hook]);
      const event = { metadata: { name: 'e' }, eventTime: '2024-01-01T00:00:00.000000Z', regarding: { kind: 'Pod', namespace, name: 'p' }, action: 'a', reason: 'r', type: 'Normal', reportingController: 'example.com/c', reportingInstance: 'i' };
      expect(201, await world.request('POST', `/apis/${group}/v1/namespaces/${namespace}/events`, event));
      assert.deepEqual(world.asked(hook).map(({ kind, requestKind }) => [kind.group, requestKind.group]), [['', group]]);
    });

    test('a deletion is shown as it is done: pods with the time they get, namespaces by their uid', async () => {
      const namespace = await world.namespace();
      const { uid } = expect(200, await world.request('GET', `/api/v1/namespaces/${namespace}`)).metadata;
      expect(201, await world.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } }));
      expect(201, await world.request('POST', `/api/v1/namespaces/${namespace}/pods`, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }));
      expect(201, await world.createMap(namespace, '', {}, { name: 'm' }));
      const hook = world.webhook('', allowing(), { rules: [rule('DELETE', '*')] });
      await world.register('Validating', [hook]);
      for (const path of ['/pods/p', '/configmaps/m', '']) expect(200, await world.request('DELETE', `/api/v1/namespaces/${namespace}${path}`));
      const shown = world.asked(hook).map(({ options: { gracePeriodSeconds, preconditions } }) => [gracePeriodSeconds, preconditions]);
      assert.deepEqual(shown, [[0, undefined], [undefined, undefined], [undefined, { uid }]]);
    });

    test('a proxied path is shown', async () => {
      const namespace = await world.namespace();
      const hook = world.webhook(namespace, allowing(), { rules: [rule('CONNECT', 'services/proxy')] });
      await world.register('Validating', [hook]);
      for (const path of ['', '/', '/a%20b//c/', '//d']) await world.request('GET', `/api/v1/namespaces/${namespace}/services/s/proxy${path}?path=no`);
      assert.deepEqual(world.asked(hook).map(({ object }) => object.path), [undefined, '/', '/a b//c/', '/d']);
    });

    test('a token request is shown before it is filled in', async () => {
      const namespace = await world.namespace();
      const hook = world.webhook(namespace, allowing(), { rules: [rule('CREATE', 'serviceaccounts/token')] });
      await world.register('Validating', [hook]);
      expect(201, await world.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'a' } }));
      expect(201, await world.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/a/token`, { spec: {} }));
      const [{ object }] = world.asked(hook);
      assert.deepEqual([object.metadata.name, object.spec.audiences, object.status], [undefined, null, { token: '', expirationTimestamp: null }]);
    });

    test('what is sent to a part of a pod may say any namespace', async () => {
      const namespace = await world.namespace();
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      expect(201, await world.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } }));
      expect(201, await world.request('POST', pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }));
      const hook = world.webhook(namespace, allowing(), { rules: [rule('CREATE', 'pods/*')] });
      await world.register('Validating', [hook]);
      const metadata = { name: 'p', namespace: 'other' };
      expect(201, await world.request('POST', `${pods}/p/binding`, { metadata, target: { kind: 'Node', name: 'n' } }));
      expect(201, await world.request('POST', `${pods}/p/eviction`, { metadata, deleteOptions: { gracePeriodSeconds: 0 } }));
      const owned = world.asked(hook).map(({ object }) => object.metadata.managedFields[0].fieldsV1);
      assert.deepEqual(owned, [{ 'f:target': {} }, { 'f:deleteOptions': { '.': {}, 'f:gracePeriodSeconds': {} } }]);
    });

    test('the finalizers of a namespace are written without its status', async () => {
      const namespace = await world.namespace();
      const { metadata } = expect(200, await world.request('PUT', `/api/v1/namespaces/${namespace}/finalize`, { metadata: { name: namespace }, spec: { finalizers: ['a.b/c'] } }));
      const owned = metadata.managedFields.filter(({ subresource }: { subresource?: string }) => subresource === 'finalize');
      assert.deepEqual(owned.map(({ fieldsV1 }: { fieldsV1: object }) => fieldsV1), [{ 'f:spec': { 'f:finalizers': {} } }]);
      expectFailure(400, 'BadRequest', await world.request('PUT', `/api/v1/namespaces/${namespace}`, { metadata: { name: namespace, namespace: 'other' } }));
    });
  });
}
