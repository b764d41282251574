// Webhook configurations as objects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestJson } from '#testing';
import { causesOf, everywhere, expect, expectFailure, PLACES } from './world.ts';

const KINDS = ['Validating', 'Mutating'] as const;

const webhook = (more: object = {}): object => ({
  name: 'a.example.com',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://127.0.0.1:1/x' },
  sideEffects: 'None',
  rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothing'] }],
  ...more,
});
const rules = (more: object): object => webhook({ rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothing'], ...more }] });
const client = (clientConfig: object): object => webhook({ clientConfig });
const service = (more: object = {}): object => client({ service: { name: 's', namespace: 'n', ...more } });
const without = (member: string): object => Object.fromEntries(Object.entries(webhook()).filter(([name]) => name !== member));

/** A webhook that is refused, and the field that is named. */
const REFUSED: readonly (readonly [lines: string, webhook: object, cause: string])[] = [
  ['R2.7-08 no name', without('name'), 'FieldValueRequired webhooks[0].name'],
  ['R2.7-09 a short name', webhook({ name: 'short' }), 'FieldValueInvalid webhooks[0].name'],
  ['R2.7-10 no versions of the review', without('admissionReviewVersions'), 'FieldValueRequired webhooks[0].admissionReviewVersions'],
  ['R2.7-12 no version that is known', webhook({ admissionReviewVersions: ['v2'] }), 'FieldValueInvalid webhooks[0].admissionReviewVersions'],
  ['R2.7-14 no client', without('clientConfig'), 'FieldValueRequired webhooks[0].clientConfig'],
  ['R2.7-15 no side effects', without('sideEffects'), 'FieldValueRequired webhooks[0].sideEffects'],
  ['R2.7-16 side effects', webhook({ sideEffects: 'Some' }), 'FieldValueNotSupported webhooks[0].sideEffects'],
  ['R2.7-19 another failure policy', webhook({ failurePolicy: 'Retry' }), 'FieldValueNotSupported webhooks[0].failurePolicy'],
  ['R2.7-22 another match policy', webhook({ matchPolicy: 'Loose' }), 'FieldValueNotSupported webhooks[0].matchPolicy'],
  ['R2.7-35 no time at all', webhook({ timeoutSeconds: 0 }), 'FieldValueInvalid webhooks[0].timeoutSeconds'],
  ['R2.7-35 too much time', webhook({ timeoutSeconds: 31 }), 'FieldValueInvalid webhooks[0].timeoutSeconds'],
  ['R2.7-44 neither URL nor service', client({}), 'FieldValueRequired webhooks[0].clientConfig'],
  ['R2.7-44 both URL and service', client({ url: 'https://x', service: { name: 's', namespace: 'n' } }), 'FieldValueRequired webhooks[0].clientConfig'],
  ['R2.7-46 a service without name', client({ service: { name: '', namespace: 'n' } }), 'FieldValueRequired webhooks[0].clientConfig.service.namespace'],
  ['R2.7-47 a service without namespace', client({ service: { name: 's', namespace: '' } }), 'FieldValueRequired webhooks[0].clientConfig.service.name'],
  ['R2.7-50 port 0', service({ port: 0 }), 'FieldValueInvalid webhooks[0].clientConfig.service.port'],
  ['R2.7-50 port 65536', service({ port: 65536 }), 'FieldValueInvalid webhooks[0].clientConfig.service.port'],
  ['R2.7-51 no URL', client({ url: 'https://' }), 'FieldValueInvalid webhooks[0].clientConfig.url'],
  ['R2.7-52 another scheme', client({ url: 'http://x' }), 'FieldValueInvalid webhooks[0].clientConfig.url'],
  ['R2.7-53 a user', client({ url: 'https://u:p@x/' }), 'FieldValueInvalid webhooks[0].clientConfig.url'],
  ['R2.7-54 a fragment', client({ url: 'https://x/#f' }), 'FieldValueInvalid webhooks[0].clientConfig.url'],
  ['R2.7-55 a query', client({ url: 'https://x/?q' }), 'FieldValueInvalid webhooks[0].clientConfig.url'],
  ['R2.7-60 no groups', rules({ apiGroups: [] }), 'FieldValueRequired webhooks[0].rules[0].apiGroups'],
  ['R2.7-61 no versions', rules({ apiVersions: [] }), 'FieldValueRequired webhooks[0].rules[0].apiVersions'],
  ['R2.7-62 no operations', rules({ operations: [] }), 'FieldValueRequired webhooks[0].rules[0].operations'],
  ['R2.7-63 no resources', rules({ resources: [] }), 'FieldValueRequired webhooks[0].rules[0].resources'],
  ['R2.7-64 another operation', rules({ operations: ['READ'] }), 'FieldValueNotSupported webhooks[0].rules[0].operations[0]'],
  ['R2.7-65 all groups and one', rules({ apiGroups: ['*', 'apps'] }), 'FieldValueInvalid webhooks[0].rules[0].apiGroups'],
  ['R2.7-66 all versions and one', rules({ apiVersions: ['*', 'v1'] }), 'FieldValueInvalid webhooks[0].rules[0].apiVersions'],
  ['R2.7-67 all operations and one', rules({ operations: ['*', 'CREATE'] }), 'FieldValueInvalid webhooks[0].rules[0].operations'],
  ['R2.7-74 another scope', rules({ scope: 'Local' }), 'FieldValueNotSupported webhooks[0].rules[0].scope'],
];

everywhere(PLACES.both, (world) => {
  const group = world.brand.group('admissionregistration');
  const at = (kind: string, name = ''): string => `/apis/${group}/v1/${kind.toLowerCase()}webhookconfigurations${name === '' ? '' : `/${name}`}`;
  const body = (kind: string, webhooks: readonly object[], name = world.fresh()): TestJson => ({ apiVersion: `${group}/v1`, kind: `${kind}WebhookConfiguration`, metadata: { name }, webhooks });

  test('R2.7-01 R2.7-02 R2.7-04 R2.7-05 R2.7-06 R2.7-07 both kinds are served outside of namespaces, with their lists', async () => {
    for (const kind of KINDS) {
      const made = expect(201, await world.post(at(kind), body(kind, [webhook()])));
      assert.deepEqual(Object.keys(made).sort(), ['apiVersion', 'kind', 'metadata', 'webhooks']);
      assert.equal(made.metadata.namespace, undefined);
      const list = expect(200, await world.get(at(kind)));
      assert.equal(list.kind, `${kind}WebhookConfigurationList`);
      assert.ok(list.items.some(({ metadata }: TestJson) => metadata.uid === made.metadata.uid));
      expect(200, await world.delete(at(kind, made.metadata.name)));
      assert.deepEqual(expect(200, await world.get(at(kind))).items, []);
    }
    expectFailure(404, 'NotFound', await world.get(at('Validating').replace('/v1/', '/v1/namespaces/default/')));
  });

  test('R2.7-03 a strategic merge patch of one webhook leaves the others in place', async () => {
    const made = expect(201, await world.post(at('Validating'), body('Validating', [webhook(), webhook({ name: 'b.example.com' })])));
    const patch = { webhooks: [{ name: 'b.example.com', timeoutSeconds: 3 }] };
    const { webhooks } = expect(200, await world.patch('strategic', at('Validating', made.metadata.name), patch));
    assert.deepEqual(Object.fromEntries(webhooks.map((one: TestJson) => [one.name, one.timeoutSeconds])), { 'a.example.com': 10, 'b.example.com': 3 });
    assert.equal(webhooks.length, 2);
  });

  test('R2.7-20 R2.7-23 R2.7-26 R2.7-32 R2.7-36 R2.7-40 R2.7-49 R2.7-75 what is not said has a default', async () => {
    for (const kind of KINDS) {
      const [made] = expect(201, await world.post(at(kind), body(kind, [service()]))).webhooks;
      assert.deepEqual([made.failurePolicy, made.matchPolicy, made.timeoutSeconds, made.namespaceSelector, made.objectSelector], ['Fail', 'Equivalent', 10, {}, {}]);
      assert.deepEqual([made.clientConfig.service.port, made.rules[0].scope], [443, '*']);
      assert.equal(made.reinvocationPolicy, kind === 'Mutating' ? 'Never' : undefined);
    }
  });

  test('R2.7-38 R2.7-39 only mutating webhooks are asked again', async () => {
    const again = webhook({ reinvocationPolicy: 'IfNeeded' });
    assert.equal(expect(201, await world.post(at('Validating'), body('Validating', [again]))).webhooks[0].reinvocationPolicy, undefined);
    assert.equal(expect(201, await world.post(at('Mutating'), body('Mutating', [again]))).webhooks[0].reinvocationPolicy, 'IfNeeded');
    const refused = expectFailure(422, 'Invalid', await world.post(at('Mutating'), body('Mutating', [webhook({ reinvocationPolicy: 'Always' })])));
    assert.deepEqual(causesOf(refused), ['FieldValueNotSupported webhooks[0].reinvocationPolicy']);
  });

  for (const [line, wrong, cause] of REFUSED) {
    test(`${line} is refused`, async () => {
      for (const kind of KINDS) {
        const refused = expectFailure(422, 'Invalid', await world.post(at(kind), body(kind, [wrong])));
        assert.ok(causesOf(refused).includes(cause), refused.message);
      }
    });
  }

  test('R2.7-19 R2.7-22 R2.7-35 R2.7-50 R2.7-57 the ends of what is allowed are', async () => {
    const all = [
      webhook({ failurePolicy: 'Ignore', matchPolicy: 'Exact', timeoutSeconds: 1, sideEffects: 'NoneOnDryRun' }),
      webhook({ name: 'b.example.com', failurePolicy: 'Fail', matchPolicy: 'Equivalent', timeoutSeconds: 30, clientConfig: { url: 'https://[::1]:8443/any/path' } }),
      webhook({ name: 'c.example.com', clientConfig: { service: { name: 's', namespace: 'n', port: 1 } } }),
      webhook({ name: 'd.example.com', clientConfig: { service: { name: 's', namespace: 'n', port: 65535, path: '/x' } } }),
    ];
    for (const kind of KINDS) expect(201, await world.post(at(kind), body(kind, all)));
  });
});
