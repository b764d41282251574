// What webhooks leave in the audit event, and configurations that an older release stored.
import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { after, before, beforeEach, describe, test } from 'node:test';
import { orderedPlugins, type AdmissionEnv, type AdmissionHooks, type AdmissionRequest } from '#admission';
import { brandOf, createCatalog, type ApiObject, type Dialect, type Follower, type KindName } from '#api';
import { ApiError } from '#errors';
import { allKinds } from '#kinds';
import { TurnedClock } from '#testing';
import { allowing, denying, patching, WebhookServer, type Behaviour } from '../support/webhook-server.ts';

for (const dialect of ['orch', 'kubernetes'] as const satisfies readonly Dialect[]) {
  describe(dialect, () => {
    const brand = brandOf(dialect);
    const admission = brand.group('admission');
    const catalog = createCatalog(allKinds, brand);
    let server: WebhookServer;
    let stored: Record<string, ApiObject[]> = {};
    const annotations = new Map<string, string>();
    const stop = new AbortController();
    // Every test opens plugins of its own, and all end together.
    setMaxListeners(0, stop.signal);
    before(async () => void (server = await WebhookServer.start()));
    after(async () => {
      stop.abort();
      await server.close();
    });
    beforeEach(() => {
      stored = {};
      annotations.clear();
    });

    let count = 0;
    const webhook = (behaviour: Behaviour, more: object = {}): object => ({
      name: `hook-${++count}.example.com`,
      clientConfig: server.at(`/${count}`, behaviour),
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'], scope: '*' }],
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      sideEffects: 'None',
      timeoutSeconds: 10,
      admissionReviewVersions: ['v1'],
      ...more,
    });
    const store = (kind: 'Mutating' | 'Validating', name: string, webhooks: readonly object[]): void => {
      const configurations = (stored[`${kind}WebhookConfiguration`] ??= []);
      configurations.push({ apiVersion: `${brand.group('admissionregistration')}/v1`, kind: `${kind}WebhookConfiguration`, metadata: { name }, webhooks } as ApiObject);
    };

    /** The plugins as they start on what is stored. */
    async function open(): Promise<readonly AdmissionHooks[]> {
      const env = {
        brand,
        catalog,
        clock: new TurnedClock(),
        objects: { follow: async ({ kind }: KindName, follower: Follower) => (stored[kind] ?? []).forEach((object) => follower.put(object)) },
        config: () => undefined,
      } as unknown as AdmissionEnv;
      const plugins = orderedPlugins().filter(({ name }) => name === 'MutatingAdmissionWebhook' || name === 'ValidatingAdmissionWebhook');
      const hooks = plugins.map((plugin) => plugin.create(env));
      for (const one of hooks) await one.start?.(stop.signal);
      return hooks;
    }

    async function admit(more: Partial<AdmissionRequest> = {}): Promise<AdmissionRequest> {
      const found = catalog.find('', 'v1', 'configmaps');
      assert.ok(found);
      const request: AdmissionRequest = {
        operation: 'CREATE',
        resource: found.resource,
        served: found.served,
        subresource: '',
        namespace: 'n',
        name: 'm',
        nameInPath: '',
        user: { name: 'u', groups: [] },
        dryRun: false,
        live: undefined,
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'n' }, data: { a: '1' } } as ApiObject,
        signal: stop.signal,
        annotate: (key, value) => void (annotations.has(key) || annotations.set(key, value)),
        warn: () => {},
        waitedForWebhooks: () => {},
        onlyWhile: () => {},
        ...more,
      };
      const hooks = await open();
      let isAgain = false;
      for (const one of hooks) isAgain = (await one.mutate?.(request)) === 'again' || isAgain;
      if (isAgain) for (const one of hooks) await one.mutate?.(request);
      for (const one of hooks) await one.validate?.(request);
      return request;
    }

    const read = (): Record<string, unknown> => Object.fromEntries([...annotations].map(([key, value]) => [key, value.startsWith('{') ? (JSON.parse(value) as unknown) : value]));

    test('R6-07 R6-08 R6-09 R6-10 R6-11 R6-12 each call of a mutating webhook leaves who was asked and what it changed, by round and place', async () => {
      const operations = [{ op: 'add', path: '/data/b', value: '2' }];
      const [quiet, elsewhere, busy] = [
        webhook(allowing(), { name: 'quiet.example.com', reinvocationPolicy: 'IfNeeded' }),
        webhook(allowing(), { name: 'elsewhere.example.com', rules: [] }),
        webhook(patching(operations), { name: 'busy.example.com' }),
      ];
      store('Mutating', 'b', [busy]);
      store('Mutating', 'a', [quiet, elsewhere]);
      await admit();
      const [one, two] = [{ configuration: 'a', webhook: 'quiet.example.com' }, { configuration: 'b', webhook: 'busy.example.com' }];
      assert.deepEqual(read(), {
        [`mutation.webhook.${admission}/round_0_index_0`]: { ...one, mutated: false },
        [`patch.webhook.${admission}/round_0_index_2`]: { ...two, patch: operations, patchType: 'JSONPatch' },
        [`mutation.webhook.${admission}/round_0_index_2`]: { ...two, mutated: true },
        [`mutation.webhook.${admission}/round_1_index_0`]: { ...one, mutated: false },
      });
    });

    test('R4.11-69 audit annotations of an answer stand below the name of the webhook; keys that cannot stand there are left out', async () => {
      store('Validating', 'a', [webhook(allowing({ auditAnnotations: { checked: 'yes', 'not/good': 'x', '': 'x' } }), { name: 'v.example.com' })]);
      await admit();
      assert.deepEqual(read(), { 'v.example.com/checked': 'yes' });
    });

    test('a webhook that was passed over because it failed is named, by its place among all mutating webhooks or among the validating ones that were called', async () => {
      const broken: Behaviour = (_heard, response) => void response.destroy();
      const elsewhere = webhook(allowing(), { name: 'elsewhere.example.com', rules: [] });
      const failing = (name: string): object => webhook(broken, { name, failurePolicy: 'Ignore' });
      store('Mutating', 'a', [elsewhere, failing('m.example.com')]);
      store('Validating', 'a', [elsewhere, failing('v.example.com'), webhook(allowing(), { name: 'w.example.com' }), failing('x.example.com')]);
      await admit();
      assert.deepEqual(read(), {
        [`failed-open.mutation.webhook.${admission}/round_0_index_1`]: 'm.example.com',
        [`mutation.webhook.${admission}/round_0_index_1`]: { configuration: 'a', webhook: 'm.example.com', mutated: false },
        [`failed-open.validating.webhook.${admission}/round_0_index_0`]: 'v.example.com',
        [`failed-open.validating.webhook.${admission}/round_0_index_2`]: 'x.example.com',
      });
    });

    test('R4.11-60 R4.11-61 R4.8-19 R7-31 R7-32 R2.7-17 R2.7-18 R2.7-41 a stored webhook with side effects is asked for a real request, and a dry run fails without asking it', async () => {
      for (const kind of ['Mutating', 'Validating'] as const) {
        for (const sideEffects of ['Some', 'Unknown']) {
          stored = {};
          store(kind, 'a', [webhook(allowing(), { name: 's.example.com', sideEffects, failurePolicy: 'Ignore' })]);
          await admit();
          assert.equal(server.reviewsAt(`/${count}`).length, 1);
          const isDryRunRefusal = (thrown: unknown): boolean =>
            thrown instanceof ApiError && thrown.code === 400 && thrown.reason === 'BadRequest' && thrown.message === 'admission webhook "s.example.com" does not support dry run';
          await assert.rejects(admit({ dryRun: true }), isDryRunRefusal);
          assert.equal(server.reviewsAt(`/${count}`).length, 1);
        }
      }
    });

    test('R4.11-69 a review is without what there is not: a place, a name, and what nobody knows of a user', async () => {
      store('Validating', 'a', [webhook(allowing())]);
      const asked = async (more: Partial<AdmissionRequest>): Promise<Readonly<Record<string, unknown>>> => {
        await admit(more);
        return server.reviewsAt(`/${count}`).at(-1)?.request as Record<string, unknown>;
      };
      const { uid: _, kind, resource, ...nothing } = await asked({ namespace: '', name: '', user: { name: '', uid: '', groups: [] } });
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', namespace: 'n' }, data: { a: '1' } };
      assert.deepEqual(nothing, { requestKind: kind, requestResource: resource, operation: 'CREATE', userInfo: {}, object, oldObject: null, dryRun: false, options: null });
      const user = { name: 'u', uid: '1', groups: ['g'], extra: { scopes: ['s'] } };
      const { namespace, name, subResource, requestSubResource, userInfo } = await asked({ user, subresource: '' });
      assert.deepEqual([namespace, name, subResource, requestSubResource, userInfo], ['n', 'm', undefined, undefined, { username: 'u', uid: '1', groups: ['g'], extra: { scopes: ['s'] } }]);
    });

    test('R4.11-67 an answer that does not say that a request is allowed refuses it', async () => {
      for (const allowed of [undefined, null]) {
        for (const kind of ['Mutating', 'Validating'] as const) {
          stored = {};
          store(kind, 'a', [webhook(allowing({ allowed }), { failurePolicy: 'Ignore' })]);
          await assert.rejects(admit(), /denied the request without explanation$/);
        }
      }
    });

    test('R2.7-13 a stored webhook that knows no version of the review fails, and its policy decides', async () => {
      for (const admissionReviewVersions of [['v2', 'v9'], []]) {
        stored = {};
        store('Validating', 'a', [webhook(allowing(), { admissionReviewVersions, failurePolicy: 'Ignore' })]);
        await admit();
        stored = {};
        store('Validating', 'a', [webhook(allowing(), { admissionReviewVersions })]);
        await assert.rejects(admit(), /does not accept known AdmissionReview versions \(v1, v1beta1\)/);
      }
    });

    test('R2.7-21 R2.7-24 R2.7-37 what an older release stored counts as it stands: Ignore, Exact and 30 seconds', async () => {
      const beta = { failurePolicy: 'Ignore', matchPolicy: 'Exact', timeoutSeconds: 30, sideEffects: 'Unknown' };
      const rules = [{ apiGroups: ['autoscaling'], apiVersions: ['v1'], operations: ['*'], resources: ['horizontalpodautoscalers'], scope: '*' }];
      store('Validating', 'a', [webhook((_heard, response) => void response.destroy(), beta), webhook(denying(), { ...beta, rules })]);
      await admit();
      assert.equal(server.callsAt(`/${count - 1}`)[0]?.path, `/${count - 1}?timeout=30s`);
      const found = catalog.find('autoscaling', 'v2', 'horizontalpodautoscalers');
      assert.ok(found);
      await admit({ resource: found.resource, served: found.served });
      assert.equal(server.callsAt(`/${count}`).length, 0);
    });
  });
}
