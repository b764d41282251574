// Which connections to webhooks are kept, and when they are let go of.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { expect } from './world.ts';
import { allowing, type Heard } from '../support/webhook-server.ts';
import { inBothDialects, WebhookWorld, type Webhook } from '../support/webhook-world.ts';

/** Names of one address. */
const NAMES = ['localhost', '127.0.0.1', '127.0.1', '127.1', '2130706433'];

inBothDialects((world) => {
  afterEach(() => world.forget());

  const onlyCall = (webhook: Webhook): Heard => {
    const [call, ...more] = world.calls(webhook);
    assert.ok(call !== undefined && more.length === 0);
    return call;
  };
  const connectionsOf = (calls: readonly Heard[]): number => new Set(calls.map(({ remotePort }) => remotePort)).size;

  for (const kind of ['Mutating', 'Validating'] as const) {
    test(`${kind}: connections to a webhook that is taken away are closed, and those to others stay`, { timeout: 20_000 }, async () => {
      const namespace = await world.namespace();
      const [leaving, staying] = [world.webhook(namespace, allowing()), world.webhook(namespace, allowing())];
      const name = await world.register(kind, [leaving]);
      await world.register(kind, [staying]);
      expect(201, await world.createMap(namespace));
      expect(200, await world.request('DELETE', world.configurations(kind, name)));
      await onlyCall(leaving).disconnected;
      expect(201, await world.createMap(namespace));
      assert.deepEqual([world.calls(staying).length, connectionsOf(world.calls(staying))], [2, 1]);
    });
  }

  for (const kind of ['Mutating', 'Validating'] as const) {
    test(`R4.11-53 ${kind}: a webhook that breaks off is not called again for the same request, and one that let go of its connection is called on another`, async () => {
      const namespace = await world.namespace();
      let answers = true;
      const webhook = world.webhook(namespace, (heard, response) => (answers ? allowing()(heard, response) : void response.destroy()));
      await world.register(kind, [webhook]);
      expect(201, await world.createMap(namespace));
      answers = false;
      const { message } = expect(500, await world.createMap(namespace));
      assert.match(message, /failed calling webhook/);
      answers = true;
      expect(201, await world.createMap(namespace));
      world.hooks.hangUp();
      expect(201, await world.createMap(namespace));
      const calls = world.calls(webhook);
      assert.deepEqual([calls.length, connectionsOf(calls.slice(0, 2)), connectionsOf(calls.slice(2))], [4, 1, 2]);
    });
  }

  test('many requests call a webhook at the same time, none waiting for the answers to others: a webhook may wait for a request that it is called for', { timeout: 30_000 }, async () => {
    const namespace = await world.namespace();
    const count = 200;
    let heard = 0;
    let all = (): void => {};
    const everybody = new Promise<void>((resolve) => (all = resolve));
    const webhook = world.webhook(namespace, async (call, response) => {
      if (++heard === count) all();
      await everybody;
      return allowing()(call, response);
    });
    await world.register('Validating', [webhook]);
    const answers = await Promise.all(Array.from({ length: count }, () => world.createMap(namespace)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  });

  test('webhooks that are taken away while a request is on its way to them are asked, and their connections closed then', { timeout: 20_000 }, async () => {
    const namespace = await world.namespace();
    let name = '';
    const first = world.webhook(namespace, async (heard, response) => {
      expect(200, await world.request('DELETE', world.configurations('Mutating', name)));
      return allowing()(heard, response);
    });
    const second = world.webhook(namespace, allowing(), { name: 'second.example.com' });
    name = await world.register('Mutating', [first, second]);
    expect(201, await world.createMap(namespace));
    await Promise.all([first, second].map((webhook) => onlyCall(webhook).disconnected));
  });

  test('of the addresses that a service had, the connections to few are kept', { timeout: 20_000 }, async () => {
    const namespace = await world.namespace();
    // As in the certificate of the webhooks.
    const infra = 'infra';
    expect(201, await world.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: infra } }));
    const services = `/api/v1/namespaces/${infra}/services`;
    const service = (externalName: string): object => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'hook' }, spec: { type: 'ExternalName', externalName } });
    expect(201, await world.request('POST', services, service('nowhere')));
    const { clientConfig, ...webhook } = world.webhook(namespace, allowing());
    const path = new URL(clientConfig.url).pathname;
    await world.register('Validating', [{ ...webhook, clientConfig: { service: { name: 'hook', namespace: infra, path, port: world.hooks.port }, caBundle: world.hooks.caBundle } }]);
    const callAt = async (names: readonly string[]): Promise<void> => {
      for (const name of names) {
        expect(200, await world.request('PUT', `${services}/hook`, service(name)));
        expect(201, await world.createMap(namespace));
      }
    };
    await callAt(NAMES);
    await world.hooks.callsAt(path)[0]?.disconnected;
    await callAt(NAMES.slice(1));
    const [, ...others] = world.hooks.callsAt(path);
    assert.deepEqual([others.length, connectionsOf(others)], [2 * (NAMES.length - 1), NAMES.length - 1]);
  });
});

test('a server that is closed lets go of its webhooks', { timeout: 20_000 }, async () => {
  const world = new WebhookWorld('orch');
  await world.start();
  const webhook = world.webhook(await world.namespace(), allowing());
  await world.register('Validating', [webhook]);
  try {
    expect(201, await world.createMap(await world.namespace()));
    await world.server.close();
    await world.calls(webhook)[0]?.disconnected;
  } finally {
    await world.end();
  }
});
