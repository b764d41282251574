// Every way to write, on every kind: what comes before it is stored, who is asked, and what a trial leaves behind.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { TestAnswer, TestJson } from '#testing';
import { examplesOf, type Example } from '../kinds/examples.ts';
import { allowing, denying } from '../support/webhook-server.ts';
import { inBothDialects, type Webhook, type WebhookWorld } from '../support/webhook-world.ts';
import { expect } from './world.ts';

type Headers = Readonly<Record<string, string>>;

interface Write {
  readonly name: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly subresource?: string;
  send(world: WebhookWorld, query: string, headers?: Headers): Promise<TestAnswer>;
}

const withQuery = (path: string, query: string): string => (query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`);
const request = (method: string, path: string, body?: unknown) => (world: WebhookWorld, query: string, headers: Headers = {}) => world.request(method, withQuery(path, query), body, headers);
const PATCHES = { json: 'json-patch+json', merge: 'merge-patch+json', strategic: 'strategic-merge-patch+json', apply: 'apply-patch+yaml' } as const;
const patch = (form: keyof typeof PATCHES, path: string, body: unknown) => (world: WebhookWorld, query: string, headers: Headers = {}) =>
  world.request('PATCH', withQuery(path, query), JSON.stringify(body), { 'content-type': `application/${PATCHES[form]}`, ...headers });

/** Imperative parts, with what is sent to them. */
const actionsOf = (brand: WebhookWorld['brand'], name: string): Readonly<Record<string, object>> => ({
  'pods/binding': { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target: { kind: 'Node', name: 'node' } },
  'pods/eviction': { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } },
  'serviceaccounts/token': { apiVersion: `${brand.group('authentication')}/v1`, kind: 'TokenRequest', spec: {} },
});

/** The writes to an object that is there, and that of another one. */
function writesOf({ resource, path, body }: Example, live: TestJson, brand: WebhookWorld['brand']): readonly Write[] {
  const { kind, plural } = resource;
  const { name } = live.metadata;
  const item = `${path}/${name}`;
  const label = { metadata: { labels: { written: 'yes' } } };
  const named = { apiVersion: body.apiVersion, kind: body.kind, ...label, metadata: { ...label.metadata, name } };
  const changed = { ...live, metadata: { ...live.metadata, labels: { ...live.metadata.labels, ...label.metadata.labels } } };
  const writes: Write[] = [
    // The version that was read would be old by then.
    ...(isAlive(kind.kind) ? [] : [{ name: 'update', operation: 'UPDATE' as const, send: request('PUT', item, changed) }]),
    { name: 'JSON patch', operation: 'UPDATE', send: patch('json', item, [{ op: 'add', path: '/metadata/annotations', value: { written: 'yes' } }]) },
    { name: 'merge patch', operation: 'UPDATE', send: patch('merge', item, label) },
    { name: 'strategic patch', operation: 'UPDATE', send: patch('strategic', item, label) },
    { name: 'apply', operation: 'UPDATE', send: patch('apply', `${item}?fieldManager=m&force=true`, named) },
  ];
  for (const [subresource, { verbs, action, connects }] of Object.entries(kind.subresources ?? {})) {
    if (connects !== undefined) continue;
    const sent = actionsOf(brand, name)[`${plural}/${subresource}`];
    if (action === undefined && verbs.includes('patch')) writes.push({ name: `patch of ${subresource}`, operation: 'UPDATE', subresource, send: patch('merge', `${item}/${subresource}`, {}) });
    if (sent !== undefined) writes.push({ name: subresource, operation: 'CREATE', subresource, send: request('POST', `${item}/${subresource}`, sent) });
  }
  const verbs = kind.verbs ?? ['delete', 'deletecollection'];
  if (verbs.includes('deletecollection')) writes.push({ name: 'delete of the collection', operation: 'DELETE', send: request('DELETE', `${path}?fieldSelector=metadata.name%3D${name}`) });
  if (verbs.includes('delete')) writes.push({ name: 'delete', operation: 'DELETE', send: request('DELETE', item) });
  return writes;
}

const EVERYTHING = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }];
/** Webhooks are never asked about these. */
const UNSEEN = /webhookconfigurations$/;
const DRY = 'dryRun=All';
/** The server writes their status at any moment. */
const isAlive = (kind: string): boolean => /^(?:CustomResourceDefinition|APIService|FlowSchema|PriorityLevelConfiguration)$/.test(kind);
/** An address is taken for a Service before anybody is asked about it, and given back where it is refused. */
const takesAddresses = (kind: string): boolean => kind === 'Service';

inBothDialects((world) => {
  let mutating: Webhook;
  let validating: Webhook;
  /** Allowing or not; the second webhook says so. */
  let answer = allowing();
  before(async () => {
    await world.request('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
    await world.request('POST', '/api/v1/namespaces/n/serviceaccounts', { metadata: { name: 'default' } });
    mutating = world.webhook('', allowing(), { rules: EVERYTHING });
    validating = world.webhook('', (heard, response) => answer(heard, response), { rules: EVERYTHING, sideEffects: 'NoneOnDryRun' });
    await world.register('Mutating', [mutating]);
    await world.register('Validating', [validating]);
  });
  after(() => (answer = allowing()));

  const head = async (): Promise<string> => expect(200, await world.request('GET', '/api/v1/configmaps?limit=1')).metadata.resourceVersion as string;
  /** What the two webhooks were asked since the last call, in order. */
  const heard = (): readonly string[] => {
    const paths = [mutating, validating].map(({ clientConfig }) => new URL(clientConfig.url).pathname);
    return world.hooks.heard.splice(0).flatMap(({ path, review }) => {
      const { operation, resource, subResource, dryRun } = review.request;
      return [`${paths[0] === path.split('?')[0] ? 'mutating' : 'validating'} ${operation} ${resource.resource}${subResource === undefined ? '' : `/${subResource}`}${dryRun === true ? ' dry' : ''}`];
    });
  };
  const twice = (write: Write, plural: string, suffix: string): readonly string[] => {
    const what = `${write.operation} ${plural}${write.subresource === undefined ? '' : `/${write.subresource}`}${suffix}`;
    return UNSEEN.test(plural) ? [] : [`mutating ${what}`, `validating ${what}`];
  };

  /** Nothing is asked where callers may not; then both in order; and nothing is stored by a trial, nor where the last one refuses. */
  async function check(write: Write, { resource: { plural, kind: { kind } }, path, body }: Example): Promise<void> {
    const what = write.name;
    const stored = async (): Promise<unknown> => {
      if (!isAlive(kind) && !takesAddresses(kind)) return head();
      const { items } = expect(200, await world.request('GET', path));
      return items.filter(({ metadata }: TestJson) => metadata.name === body.metadata.name).map(({ status: _status, metadata: { resourceVersion: _version, managedFields: _fields, ...metadata }, ...more }: TestJson) => ({ ...more, metadata }));
    };
    const before = await stored();
    heard();
    for (const [headers, status] of [[{ authorization: 'Bearer nobody' }, 401], [{ 'impersonate-user': 'stranger' }, 403]] as const) {
      assert.equal((await write.send(world, '', headers)).status, status, what);
    }
    assert.deepEqual(heard(), [], what);
    answer = allowing();
    const tried = await write.send(world, DRY);
    assert.ok(tried.status < 300, `${what}: ${tried.status} ${tried.text}`);
    assert.deepEqual(heard(), twice(write, plural, ' dry'), what);
    assert.deepEqual(await stored(), before, what);
    if (UNSEEN.test(plural)) return;
    answer = denying({ code: 403, message: 'not now' });
    assert.match((await write.send(world, '')).text, /not now/, what);
    answer = allowing();
    assert.deepEqual(heard(), twice(write, plural, ''), what);
    assert.deepEqual(await stored(), before, what);
  }

  const examples = examplesOf(world.dialect).filter(({ resource, served }) => served.version === resource.storage.version);
  test('there are many kinds to write to', () => assert.ok(examples.length > 40, String(examples.length)));

  for (const example of examples) {
    const { resource, path, body } = example;
    test(`RX-01 RX-02 RX-19 RX-20 ${resource.plural}: each write is authenticated, authorized, shown to mutating and then to validating webhooks, and only then stored, unless it is a trial`, async () => {
      const item = `${path}/${body.metadata.name}`;
      const created: Write = { name: 'create', operation: 'CREATE', send: request('POST', path, body) };
      await check(created, example);
      const applied: Write = { name: 'apply of what is not there', operation: 'CREATE', send: patch('apply', `${item}?fieldManager=m`, body) };
      await check(applied, example);
      const live = expect(201, await created.send(world, ''));
      for (const write of writesOf(example, live, world.brand)) await check(write, example);
      expect(200, await world.request('DELETE', item, { gracePeriodSeconds: 0 }));
    });
  }
});
