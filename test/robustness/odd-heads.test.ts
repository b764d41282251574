// What an object says it is, and its metadata as a whole, in every odd form: by every verb, for built-in kinds and custom ones.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brandOf } from '#api';
import type { TestAnswer, TestJson } from '#testing';
import { established } from '../support/definitions.ts';
import { WebhookServer } from '../support/webhook-server.ts';
import { brokenInto, refused, showsNothing } from './judge.ts';

const server = brokenInto();
const { group } = brandOf('orch');
let hooks: WebhookServer;
before(async () => (hooks = await WebhookServer.start()));
after(() => hooks.close());

const ABSENT = Symbol('absent');
const WORDS: readonly unknown[] = [
  ABSENT, null, '', 0, 1.5, true, [], ['v1'], {}, { a: 1 }, 'v1', 'v2', 'v9', 'two.example.com/v2', 'other.example.com/v1', 'APPS/V1', ' v1 ', 'a/b/c', '/', '/v1', 'v1/', 'foo', 'FOO', 'Foo ', 'List', 'Status', 'ConfigMap', 'x'.repeat(300), '__proto__', 'é', '\u0000',
];
const METADATA: readonly unknown[] = [ABSENT, null, '', 0, [], [1], {}, 'x', true, { name: null }, { name: 1 }, { name: '' }, { name: ' a ' }, { name: 'A' }, { name: 'a/b' }, { name: [] }, { name: {} }];

type Body = Readonly<Record<string, unknown>>;

/** Each odd form of an object. */
function* oddForms(object: Body): Generator<Body> {
  for (const word of WORDS) {
    yield withMembers(object, { apiVersion: word });
    yield withMembers(object, { kind: word });
    yield withMembers(object, { apiVersion: word, kind: word });
  }
  for (const metadata of METADATA) yield withMembers(object, { metadata });
}

const withMembers = (object: Body, members: Body): Body => Object.fromEntries(Object.entries({ ...object, ...members }).filter(([, value]) => value !== ABSENT));

/** Failures that are the server's in Kubernetes as well: an applied object that its type cannot hold, and a custom resource without a version. */
const THEIRS_TOO = /^failed to (?:create typed patch object|convert new object) |^Internal error occurred: Object 'apiVersion' is missing/;

function judge(answer: TestAnswer, what: string): void {
  showsNothing(answer);
  outcomes.add(answer.status);
  if (answer.status < 400) return;
  refused(answer, [500]);
  if (answer.status === 500) assert.match(answer.body.message, THEIRS_TOO, what);
}

const outcomes = new Set<number>();

async function declare(short: string, conversion: object): Promise<void> {
  const definitions = `/apis/${group('apiextensions')}/v1/customresourcedefinitions`;
  const spec = { type: 'object', properties: { a: { type: 'string' } } };
  const versions = ['v1', ...(short === 'one' ? [] : ['v2'])].map((name, at) => ({ name, served: true, storage: at === 0, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } } }));
  const names = { plural: 'foos', kind: 'Foo' };
  const body = { apiVersion: `${group('apiextensions')}/v1`, kind: 'CustomResourceDefinition', metadata: { name: `foos.${short}.example.com` }, spec: { group: `${short}.example.com`, scope: 'Namespaced', names, versions, ...conversion } };
  const made = await server().request('POST', definitions, body);
  assert.equal(made.status, 201, made.text);
  await established(server(), `${definitions}/foos.${short}.example.com`);
}

const webhook = (): object => {
  const clientConfig = hooks.at('/renamed', ({ review: { kind, apiVersion, request } }) => {
    const convertedObjects = request.objects.map((object: TestJson) => ({ ...object, apiVersion: request.desiredAPIVersion }));
    return { kind, apiVersion, response: { uid: request.uid, convertedObjects, result: { status: 'Success' } } };
  });
  return { conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } };
};

const workload = { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } } };
const scaler = { maxReplicas: 2, scaleTargetRef: { kind: 'D', name: 'd' } };
const custom = (short: string, version: string): readonly [string, string, string, object] => [`apis/${short}.example.com/${version}/namespaces/default/foos`, `${short}.example.com/${version}`, 'Foo', { spec: { a: 'x' } }];

const KINDS: readonly (readonly [path: string, apiVersion: string, kind: string, body: object, declared?: () => Promise<void>])[] = [
  ['api/v1/namespaces/default/configmaps', 'v1', 'ConfigMap', { data: { a: 'b' } }],
  ['api/v1/namespaces', 'v1', 'Namespace', {}],
  [`apis/${group('apps')}/v1/namespaces/default/deployments`, `${group('apps')}/v1`, 'Deployment', { spec: workload }],
  [`apis/${group('autoscaling')}/v1/namespaces/default/horizontalpodautoscalers`, `${group('autoscaling')}/v1`, 'HorizontalPodAutoscaler', { spec: scaler }],
  [...custom('one', 'v1'), () => declare('one', {})],
  [...custom('two', 'v2'), () => declare('two', {})],
  [...custom('asked', 'v2'), () => declare('asked', webhook())],
];

for (const [path, apiVersion, kind, body, declared] of KINDS) {
  test(`${kind} of ${apiVersion}: whatever an object says it is, it is written or refused`, async () => {
    await declared?.();
    const { request, patch } = server();
    const objectOf = (name: string): Body => ({ apiVersion, kind, metadata: { name }, ...body });
    const made = await request('POST', `/${path}`, objectOf('valid'));
    assert.equal(made.status, 201, made.text);
    const item = `/${path}/valid`;
    const valid = objectOf('valid');
    const forms = [...oddForms(valid)];
    const fresh = [...oddForms(objectOf('fresh'))];
    const stored = [...oddForms(made.body)];
    outcomes.clear();
    for (const [position, form] of forms.entries()) {
      const said = JSON.stringify(form).slice(0, 200);
      const other = fresh[position] ?? form;
      const operations = ['apiVersion', 'kind', 'metadata'].filter((name) => form[name] !== valid[name]);
      const operation = (name: string): object => (name in form ? { op: 'add', path: `/${name}`, value: form[name] } : { op: 'remove', path: `/${name}` });
      judge(await request('POST', `/${path}?dryRun=All`, other), `create ${said}`);
      judge(await request('PUT', `/${path}/fresh?dryRun=All`, other), `update of none ${said}`);
      judge(await request('PUT', `${item}?dryRun=All`, form), `update ${said}`);
      judge(await request('PUT', `${item}?dryRun=All`, stored[position]), `update of this revision ${said}`);
      judge(await patch('merge', `${item}?dryRun=All`, form), `merge patch ${said}`);
      judge(await patch('json', `${item}?dryRun=All`, operations.map(operation)), `JSON patch ${said}`);
      judge(await patch('strategic', `${item}?dryRun=All`, form), `strategic merge patch ${said}`);
      judge(await patch('apply', `${item}?dryRun=All&force=true&fieldManager=f`, form), `apply ${said}`);
      judge(await patch('apply', `/${path}/fresh?dryRun=All&force=true&fieldManager=f`, other), `apply that creates ${said}`);
    }
    assert.deepEqual([200, 400, 422].filter((status) => !outcomes.has(status)), []);
  });
}
