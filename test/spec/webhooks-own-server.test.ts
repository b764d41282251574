// Webhooks behind the Service of the API itself: the server asks itself, and needs neither endpoints nor trust for that.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { TestAnswer, TestJson } from '#testing';
import { inBothDialects, type AggregationWorld } from '../support/aggregation-world.ts';
import { established } from '../support/definitions.ts';
import { expect, expectFailure } from './world.ts';

const CONFIG_MAPS = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] };
const MAPS = '/api/v1/namespaces/infra/configmaps';

/** Allows what it is asked about. */
const allow = (body: string): object => {
  const { kind, apiVersion, request } = JSON.parse(body) as TestJson;
  return { kind, apiVersion, response: { uid: request.uid, allowed: true } };
};

inBothDialects((world) => {
  const { brand } = world;
  const own = (path: string, more: object = {}): object => ({ service: { namespace: 'default', name: brand.names.apiService, path, ...more } });
  const hooks = `/apis/${brand.group('admissionregistration')}/v1/validatingwebhookconfigurations`;

  /** Runs with a webhook behind the Service of the API. */
  async function asked(clientConfig: object, run: () => Promise<void>, more: object = {}): Promise<void> {
    const webhook = { name: 'own.example.com', clientConfig, rules: [CONFIG_MAPS], sideEffects: 'None', admissionReviewVersions: ['v1'], ...more };
    expect(201, await world.post(hooks, { metadata: { name: 'own' }, webhooks: [webhook] }));
    try {
      await run();
    } finally {
      expect(200, await world.delete(`${hooks}/own`));
    }
  }

  let made = 0;
  const makeMap = (): Promise<TestAnswer> => world.post(MAPS, { metadata: { name: `map-${made++}` } });

  afterEach(() => {
    world.other.answers = () => ({ kind: 'Thing' });
  });

  test('R4.11-46 the server asks an aggregated API through itself, as itself', async () => {
    const group = world.group();
    await world.aggregate(group);
    world.other.answers = allow;
    await asked(own(`/apis/${group}/v1/reviews`), async () => {
      const before = world.other.proxied.length;
      expect(201, await makeMap());
      const [call, ...more] = world.other.proxied.slice(before);
      assert.deepEqual(more, []);
      assert.equal(call?.line, `POST /apis/${group}/v1/reviews?timeout=10s`);
      assert.deepEqual([call.headers['x-remote-user'], call.headers['x-remote-group'], call.caller], ['system:apiserver', 'system:masters, system:authenticated', 'front-proxy']);
    });
  });

  test('R4.11-46 conversion webhooks are asked so, too', async () => {
    const group = world.group();
    await world.aggregate(group);
    world.other.answers = (body) => {
      const { kind, apiVersion, request } = JSON.parse(body) as TestJson;
      const convertedObjects = request.objects.map((object: object) => ({ ...object, apiVersion: request.desiredAPIVersion as string, said: 'converted' }));
      return { kind, apiVersion, response: { uid: request.uid, convertedObjects, result: { status: 'Success' } } };
    };
    const custom = await define(world, own(`/apis/${group}/v1/conversions`));
    expect(201, await world.post(`/apis/${custom}/v1/foos`, { apiVersion: `${custom}/v1`, kind: 'Foo', metadata: { name: 'a' } }));
    assert.equal(expect(200, await world.get(`/apis/${custom}/v2/foos/a`)).said, 'converted');
    const { line, headers } = world.other.proxied.at(-1) ?? assert.fail('nobody was asked');
    assert.deepEqual([line, headers['x-remote-user']], [`POST /apis/${group}/v1/conversions?timeout=30s`, 'system:apiserver']);
  });

  test('a path that takes no reviews fails the call, in the words of any webhook', async () => {
    const refusals = [
      ['/nothing', 'the server could not find the requested resource'],
      [MAPS, 'cannot be handled as a ConfigMap'],
    ] as const;
    for (const [path, words] of refusals) {
      await asked(own(path), async () => {
        const { message } = expectFailure(500, 'InternalError', await makeMap());
        assert.ok(message.includes('failed calling webhook "own.example.com": failed to call webhook: ') && message.includes(words), message);
      });
      await asked(own(path), async () => void expect(201, await makeMap()), { failurePolicy: 'Ignore' });
    }
  });

  test('a call that the server makes of itself ends with the time of the webhook', async () => {
    const group = world.group();
    await world.aggregate(group);
    await asked(
      own(`/apis/${group}/v1/reviews`),
      async () => {
        const begun = new Promise<void>((resolve) => {
          world.other.answers = () => {
            resolve();
            return undefined;
          };
        });
        const answer = makeMap();
        await Promise.race([begun, answer]);
        world.clock.turn(3000);
        const url = `https://${brand.names.apiService}.default.svc:443/apis/${group}/v1/reviews?timeout=3s`;
        const { message } = expectFailure(500, 'InternalError', await answer);
        assert.ok(message.includes(`failed calling webhook "own.example.com": failed to call webhook: Post ${JSON.stringify(url)}: context deadline exceeded`), message);
      },
      { timeoutSeconds: 3 },
    );
  });

  test('what the server asks of itself is not asked about again: a webhook about the very call that asks it ends', async () => {
    const proxied = '/api/v1/namespaces/infra/services/backend/proxy';
    const rules = [{ ...CONFIG_MAPS, operations: ['CONNECT'], resources: ['services/proxy'] }];
    await asked(
      own(`${proxied}/reviews`),
      async () => {
        const { message } = expectFailure(500, 'InternalError', await world.get(`${proxied}/page`));
        assert.equal(message.split('failed calling webhook').length, 2, message);
      },
      { rules },
    );
  });

  test('R2.7-49 another port of that Service is reached as that of any other', async () => {
    await asked(own('/nothing', { port: 444 }), async () => assert.match(expectFailure(500, 'InternalError', await makeMap()).message, /no service port 444 found for service/));
  });
});

/** A definition with two versions and a conversion webhook; its group. */
async function define(world: AggregationWorld, clientConfig: object): Promise<string> {
  const { brand, api } = world;
  const custom = world.group();
  const schema = { openAPIV3Schema: { type: 'object', properties: { said: { type: 'string' } } } };
  const spec = {
    group: custom,
    scope: 'Cluster',
    names: { plural: 'foos', kind: 'Foo' },
    versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema })),
    conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
  };
  const definitions = `/apis/${brand.group('apiextensions')}/v1/customresourcedefinitions`;
  expect(201, await world.post(definitions, { metadata: { name: `foos.${custom}` }, spec }));
  await established(api, `${definitions}/foos.${custom}`);
  return custom;
}
