// Which requests a webhook is asked about.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { TestJson } from '#testing';
import { expect, expectFailure } from './world.ts';
import { allowing, denying, patching } from '../support/webhook-server.ts';
import { inBothDialects, type WebhookWorld } from '../support/webhook-world.ts';

const rule = (more: object = {}): object => ({ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'], ...more });

const KINDS = ['Mutating', 'Validating'] as const;

/** What webhooks of both kinds with these rules were asked about after a fixed set of requests: `OPERATION resource[/subresource]`, each once. */
async function heardOf(world: WebhookWorld, rules: object[]): Promise<readonly string[]> {
  const namespace = await world.namespace();
  const scope = { matchExpressions: [{ key: world.brand.names.namespaceNameLabel, operator: 'In', values: [namespace] }] };
  const hooks = KINDS.map(() => world.webhook('', allowing(), { rules, namespaceSelector: scope }));
  for (const [at, hook] of hooks.entries()) await world.register(KINDS[at] ?? 'Validating', [hook]);
  const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  expect(201, await world.createMap(namespace, '', {}, { name: 'm' }));
  expect(200, await world.patch('merge', `/api/v1/namespaces/${namespace}/configmaps/m`, { data: { a: '2' } }));
  expect(200, await world.request('DELETE', `/api/v1/namespaces/${namespace}/configmaps/m`));
  expect(201, await world.request('POST', apps, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: { selector: { matchLabels: { app: 'a' } }, template } }));
  expect(200, await world.patch('merge', `${apps}/d/scale`, { spec: { replicas: 2 } }));
  expect(200, await world.patch('merge', `${apps}/d/status`, { status: { replicas: 2 } }));
  const name = world.fresh('class');
  const classes = `/apis/${world.brand.group('scheduling')}/v1/priorityclasses`;
  expect(201, await world.request('POST', classes, { apiVersion: `${world.brand.group('scheduling')}/v1`, kind: 'PriorityClass', metadata: { name }, value: 1 }));
  expect(200, await world.request('DELETE', `${classes}/${name}`));
  await world.forget();
  const heardBy = (hook: (typeof hooks)[number]): readonly string[] => [
    ...new Set(world.asked(hook).map(({ operation, resource, subResource }) => `${operation} ${resource.resource}${subResource === undefined ? '' : `/${subResource}`}`)),
  ];
  const [mutating, validating] = hooks.map(heardBy);
  assert.deepEqual(mutating, validating);
  return validating ?? [];
}

const MAPS = ['CREATE configmaps', 'UPDATE configmaps', 'DELETE configmaps'];
const CLASSES = ['CREATE priorityclasses', 'DELETE priorityclasses'];
const MAIN = [...MAPS, 'CREATE deployments', ...CLASSES];
const PARTS = ['UPDATE deployments/scale', 'UPDATE deployments/status'];

inBothDialects((world) => {
  afterEach(() => world.forget());

  const rows: readonly (readonly [lines: string, rules: object[], heard: readonly string[]])[] = [
    ['R2.7-70 R2.7-75 * is every resource and no subresource', [rule()], MAIN],
    ['R2.7-73 */* is everything', [rule({ resources: ['*/*'] })], [...MAPS, 'CREATE deployments', ...PARTS, ...CLASSES]],
    ['R2.7-68 a resource is itself, without its subresources', [rule({ resources: ['deployments'] })], ['CREATE deployments']],
    ['R2.7-69 a subresource is itself alone', [rule({ resources: ['deployments/status'] })], ['UPDATE deployments/status']],
    ['R2.7-71 all subresources of a resource', [rule({ resources: ['deployments/*'], operations: ['UPDATE'] })], PARTS],
    ['R2.7-72 a subresource of every resource', [rule({ resources: ['*/scale'] })], ['UPDATE deployments/scale']],
    ['R2.7-64 operations', [rule({ operations: ['UPDATE', 'DELETE'], resources: ['configmaps'] })], ['UPDATE configmaps', 'DELETE configmaps']],
    ['R2.7-60 groups', [rule({ apiGroups: ['apps'] })], ['CREATE deployments']],
    ['R2.7-61 versions', [rule({ apiVersions: ['v9'] })], []],
    ['R2.7-74 objects in namespaces', [rule({ scope: 'Namespaced' })], [...MAPS, 'CREATE deployments']],
    ['R2.7-74 objects outside of namespaces', [rule({ scope: 'Cluster' })], CLASSES],
    ['R2.7-34 R4.11-47 one rule is enough', [rule({ resources: ['nothing'] }), rule({ apiGroups: ['apps'] })], ['CREATE deployments']],
    ['R2.7-34 no rule, no request', [], []],
  ];
  for (const [line, rules, heard] of rows) {
    test(line, async () => assert.deepEqual(await heardOf(world, rules), heard));
  }

  test('a question about permissions is asked about as an object that is made, though it is not stored', async () => {
    const group = world.brand.group('authorization');
    const rules = [rule({ apiGroups: [group], operations: ['CREATE'], resources: ['selfsubjectaccessreviews'] })];
    const question = { apiVersion: `${group}/v1`, kind: 'SelfSubjectAccessReview', spec: { nonResourceAttributes: { path: '/x', verb: 'get' } } };
    for (const kind of KINDS) {
      await world.register(kind, [world.webhook('', denying({ code: 403, message: 'not here' }), { rules })]);
      assert.match(expect(403, await world.request('POST', `/apis/${group}/v1/selfsubjectaccessreviews`, question)).message, /not here$/, kind);
      await world.forget();
    }
  });

  test('R2.7-64 CONNECT is an operation, and shows the options of the connection', async () => {
    const namespace = await world.namespace();
    const hook = world.webhook(namespace, denying({ code: 403, message: 'not here' }), { rules: [rule({ operations: ['CONNECT'], resources: ['pods/exec'] })] });
    await world.register('Validating', [hook]);
    expect(403, await world.request('POST', `/api/v1/namespaces/${namespace}/pods/p/exec?command=ls&container=c&stdout=true`));
    await world.forget();
    const mutating = world.webhook(namespace, denying({ code: 409, message: 'nor here' }), { rules: [rule({ operations: ['CONNECT'], resources: ['pods/exec'] })] });
    await world.register('Mutating', [mutating]);
    expect(409, await world.request('POST', `/api/v1/namespaces/${namespace}/pods/p/exec?command=ls&container=c&stdout=true`));
    const [asked] = world.asked(hook);
    assert.deepEqual(world.asked(mutating)[0].object, asked.object);
    assert.deepEqual([asked.operation, asked.kind.kind, asked.name, asked.options, asked.oldObject], ['CONNECT', 'PodExecOptions', 'p', null, null]);
    assert.deepEqual(asked.object, { kind: 'PodExecOptions', apiVersion: 'v1', stdout: true, container: 'c', command: ['ls'] });
  });

  for (const kind of KINDS) {
    test(`R2.7-25 R2.7-26 R2.7-28 a namespace selector looks at the labels of the namespace, and never at objects outside of namespaces, ${kind} webhooks`, async () => {
      const [inside, outside] = [await world.namespace({ team: 'a' }), await world.namespace({ team: 'b' })];
      const only = world.webhook('', allowing(), { namespaceSelector: { matchLabels: { team: 'a' } }, rules: [rule({ resources: ['configmaps', 'priorityclasses'] })] });
      const all = world.webhook('', allowing(), { name: 'all.example.com' });
      const listing = world.webhook('', allowing(), { name: 'empty.example.com', namespaceSelector: {} });
      await world.register(kind, [only, all, listing]);
      for (const namespace of [inside, outside]) expect(201, await world.createMap(namespace));
      const group = world.brand.group('scheduling');
      const name = world.fresh('class');
      expect(201, await world.request('POST', `/apis/${group}/v1/priorityclasses`, { apiVersion: `${group}/v1`, kind: 'PriorityClass', metadata: { name }, value: 1 }));
      assert.deepEqual(world.asked(only).map((one) => one.namespace ?? one.name), [inside, name]);
      for (const hook of [all, listing]) assert.deepEqual(world.asked(hook).map(({ namespace }) => namespace), [inside, outside]);
    });
  }

  test('R2.7-25 labels of a namespace count from the moment they change', async () => {
    const namespace = await world.namespace();
    await world.register('Validating', [world.webhook('', denying({ code: 403 }), { namespaceSelector: { matchLabels: { closed: 'yes' } } })]);
    for (const [closed, status] of [[null, 201], ['yes', 403], ['no', 201]] as const) {
      expect(200, await world.patch('merge', `/api/v1/namespaces/${namespace}`, { metadata: { labels: { closed } } }));
      expect(status, await world.createMap(namespace));
    }
  });

  for (const kind of KINDS) {
    test(`R2.7-27 for a namespace its own labels count: those it is to have, and those it has when it is deleted, ${kind} webhooks`, async () => {
      const hook = world.webhook('', allowing(), { namespaceSelector: { matchLabels: { team: 'x' } }, rules: [rule({ resources: ['namespaces'] })] });
      await world.register(kind, [hook]);
      const [yes, no] = [await world.namespace({ team: 'x' }), await world.namespace({ team: 'y' })];
      expect(201, await world.request('POST', '/api/v1/namespaces', { metadata: { generateName: 'made-', labels: { team: 'y' } } }));
      expect(200, await world.patch('merge', `/api/v1/namespaces/${no}`, { metadata: { labels: { team: 'x' } } }));
      expect(200, await world.patch('merge', `/api/v1/namespaces/${yes}`, { metadata: { labels: { team: 'y' } } }));
      expect(200, await world.request('DELETE', `/api/v1/namespaces/${yes}`));
      expect(200, await world.request('DELETE', `/api/v1/namespaces/${no}`));
      assert.deepEqual(world.asked(hook).map(({ operation, name, namespace }) => [operation, name, namespace]), [['CREATE', yes, yes], ['UPDATE', no, no], ['DELETE', no, no]]);
    });
  }

  test('R2.7-25 a namespace that is not there has no labels: the request is told so, whatever the policy', async () => {
    const rules = [rule({ operations: ['CONNECT'], resources: ['pods/exec'] })];
    const hook = world.webhook('', allowing(), { rules, namespaceSelector: { matchLabels: { team: 'a' } }, failurePolicy: 'Ignore' });
    await world.register('Validating', [hook]);
    const refused = expectFailure(404, 'NotFound', await world.request('POST', '/api/v1/namespaces/nowhere/pods/p/exec?command=ls&stdout=true'));
    assert.equal(refused.message, 'namespaces "nowhere" not found');
    assert.deepEqual(world.asked(hook), []);
  });

  for (const kind of KINDS) {
    for (const [selector, other] of [['namespaceSelector', 'objectSelector'], ['objectSelector', 'namespaceSelector']] as const) {
      test(`the value of a ${selector} that no label can have is told to the requests it may concern, whatever the policy, ${kind} webhooks`, async () => {
        const namespace = await world.namespace({ team: 'a' });
        const unusable = { matchExpressions: [{ key: 'team', operator: 'In', values: ['b '] }] };
        const hook = world.webhook('', allowing(), { [selector]: unusable, [other]: { matchLabels: { team: 'a' } }, failurePolicy: 'Ignore' });
        await world.register(kind, [hook]);
        const refused = expectFailure(500, 'InternalError', await world.createMap(namespace, '', {}, { labels: { team: 'a' } }));
        assert.match(refused.message, /^Internal error occurred: values\[0\]\[team\]: Invalid value: "b ": a valid label must be /);
        // What the other selector excludes, and what no rule is about, goes on.
        const [elsewhere, label] = other === 'objectSelector' ? [namespace, 'c'] : [await world.namespace({ team: 'c' }), 'a'];
        expect(201, await world.createMap(elsewhere, '', {}, { labels: { team: label } }));
        expect(201, await world.request('POST', `/api/v1/namespaces/${namespace}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', labels: { team: 'a' } } }));
        assert.deepEqual(world.asked(hook), []);
      });
    }

    test(`a namespaceSelector that cannot be used does not concern objects outside of namespaces, ${kind} webhooks`, async () => {
      const hook = world.webhook('', allowing(), { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b '] }] }, rules: [rule({ resources: ['priorityclasses'] })] });
      await world.register(kind, [hook]);
      const [group, name] = [world.brand.group('scheduling'), world.fresh('class')];
      expect(201, await world.request('POST', `/apis/${group}/v1/priorityclasses`, { apiVersion: `${group}/v1`, kind: 'PriorityClass', metadata: { name }, value: 1 }));
      assert.deepEqual(world.asked(hook).map((one) => one.name), [name]);
    });

    test(`R2.7-29 R2.7-30 R2.7-32 an object selector looks at the old and at the new object, and one that is not there does not match, ${kind} webhooks`, async () => {
      const namespace = await world.namespace();
      const wanted = world.webhook(namespace, allowing(), { objectSelector: { matchLabels: { l: 'x' } } });
      const absent = world.webhook(namespace, allowing(), { name: 'absent.example.com', objectSelector: { matchExpressions: [{ key: 'l', operator: 'DoesNotExist' }] } });
      const empty = world.webhook(namespace, allowing(), { name: 'empty.example.com', objectSelector: {} });
      await world.register(kind, [wanted, absent, empty]);
      const { metadata } = expect(201, await world.createMap(namespace, '', {}, { labels: { l: 'x' } }));
      const path = `/api/v1/namespaces/${namespace}/configmaps/${metadata.name}`;
      for (const l of ['y', 'z', 'x']) expect(200, await world.patch('merge', path, { metadata: { labels: { l } } }));
      expect(200, await world.request('DELETE', path));
      const labels = (one: TestJson): unknown => [one.oldObject?.metadata.labels.l, one.object?.metadata.labels.l];
      assert.deepEqual(world.asked(wanted).map(labels), [[undefined, 'x'], ['x', 'y'], ['z', 'x'], ['x', undefined]]);
      assert.deepEqual(world.asked(absent), []);
      assert.equal(world.asked(empty).length, 5);
    });
  }

  for (const kind of KINDS) {
    test(`R2.7-31 R2.7-33 what cannot carry labels matches the empty object selector and no other, ${kind} webhooks`, async () => {
      const namespace = await world.namespace();
      const rules = [rule({ operations: ['CONNECT'], resources: ['pods/exec'] })];
      const absent = world.webhook(namespace, allowing(), { rules, objectSelector: { matchExpressions: [{ key: 'l', operator: 'DoesNotExist' }] } });
      const empty = world.webhook(namespace, allowing(), { rules, name: 'empty.example.com', objectSelector: {} });
      await world.register(kind, [absent, empty]);
      await world.request('POST', `/api/v1/namespaces/${namespace}/pods/p/exec?command=ls&stdout=true`);
      assert.deepEqual([absent, empty].map((hook) => world.asked(hook).length), [0, 1]);
    });
  }

  for (const kind of KINDS) {
    test(`R2.7-29 a review that says nothing of itself has no labels, and neither has a scale, whatever its object has, ${kind} webhooks`, async () => {
      const namespace = await world.namespace();
      const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      const labels = { l: 'x' };
      const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } } };
      expect(201, await world.request('POST', apps, { metadata: { name: 'd', labels }, spec }));
      const rules = [rule({ resources: ['selfsubjectaccessreviews', 'deployments/scale', 'deployments/status'] })];
      const wanted = world.webhook(namespace, allowing(), { rules, objectSelector: { matchLabels: labels } });
      const absent = world.webhook(namespace, allowing(), { rules, name: 'absent.example.com', objectSelector: { matchExpressions: [{ key: 'l', operator: 'DoesNotExist' }] } });
      await world.register(kind, [wanted, absent]);
      const review = { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } };
      expect(201, await world.request('POST', `/apis/${world.brand.group('authorization')}/v1/selfsubjectaccessreviews`, review));
      expect(200, await world.patch('merge', `${apps}/d/scale`, { spec: { replicas: 2 } }));
      expect(200, await world.patch('merge', `${apps}/d/status`, { status: { replicas: 2 } }));
      const kinds = (hook: typeof wanted): readonly string[] => world.asked(hook).map((asked) => asked.kind.kind);
      assert.deepEqual([kinds(wanted), kinds(absent)], [['Deployment'], ['SelfSubjectAccessReview', 'Scale']]);
    });
  }

  test('R4.11-48 R2.7-22 R2.7-23 Equivalent: a request through another version or group is shown in that of the rule', async () => {
    const namespace = await world.namespace();
    const old = (group: string, version: string, resource: string): object => rule({ apiGroups: [group], apiVersions: [version], resources: [resource], operations: ['CREATE'] });
    const [events, autoscaling] = [world.brand.group('events'), 'autoscaling'];
    const scaler = world.webhook(namespace, patching([{ op: 'replace', path: '/spec/targetCPUUtilizationPercentage', value: 70 }]), { rules: [old(autoscaling, 'v1', 'horizontalpodautoscalers')] });
    const event = world.webhook(namespace, allowing(), { name: 'event.example.com', rules: [old('', 'v1', 'events')] });
    await world.register('Mutating', [scaler, event]);
    const metric = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } };
    const spec = { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, metrics: [metric] };
    const body = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'h' }, spec };
    const made = expect(201, await world.request('POST', `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`, body));
    assert.equal(made.apiVersion, 'autoscaling/v2');
    assert.equal(made.spec.metrics[0].resource.target.averageUtilization, 70);
    const [asked] = world.asked(scaler);
    assert.deepEqual([asked.kind, asked.requestKind].map(({ version }) => version), ['v1', 'v2']);
    assert.deepEqual([asked.resource.version, asked.requestResource.version], ['v1', 'v2']);
    assert.deepEqual([asked.object.apiVersion, asked.object.spec.targetCPUUtilizationPercentage], ['autoscaling/v1', 50]);
    const regarding = { kind: 'Pod', namespace, name: 'p' };
    const happened = { apiVersion: `${events}/v1`, kind: 'Event', metadata: { name: 'e' }, eventTime: '2024-01-01T00:00:00.000000Z', regarding, action: 'a', reason: 'r', type: 'Normal', reportingController: 'example.com/c', reportingInstance: 'i' };
    expect(201, await world.request('POST', `/apis/${events}/v1/namespaces/${namespace}/events`, happened));
    const [told] = world.asked(event);
    assert.deepEqual([told.kind, told.requestKind], [{ group: '', version: 'v1', kind: 'Event' }, { group: events, version: 'v1', kind: 'Event' }]);
    assert.deepEqual([told.object.apiVersion, told.object.involvedObject], ['v1', regarding]);
  });

  test('R4.11-49 Exact: only requests through the version of the rule; R4.11-50 a version that is not served is equivalent to none', async () => {
    const namespace = await world.namespace();
    const rules = [rule({ apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] })];
    const gone = [rule({ apiGroups: ['extensions'], apiVersions: ['v1beta1'], resources: ['deployments'] })];
    const exact = world.webhook(namespace, allowing(), { rules, matchPolicy: 'Exact' });
    const unserved = world.webhook(namespace, allowing(), { name: 'gone.example.com', rules: gone, matchPolicy: 'Equivalent' });
    await world.register('Validating', [exact, unserved]);
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: { selector: { matchLabels: { app: 'a' } }, template } };
    expect(201, await world.request('POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, deployment));
    for (const version of ['v1', 'v2']) {
      const body = { apiVersion: `autoscaling/${version}`, kind: 'HorizontalPodAutoscaler', metadata: { name: version }, spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' } } };
      expect(201, await world.request('POST', `/apis/autoscaling/${version}/namespaces/${namespace}/horizontalpodautoscalers`, body));
    }
    assert.deepEqual(world.asked(exact).map(({ name }) => name), ['v1']);
    assert.deepEqual(world.asked(unserved), []);
  });

  test('R2.7-76 webhooks are never asked about webhook configurations, so that a broken one can always be taken away', async () => {
    const broken = world.webhook('', (_heard, response) => void response.destroy(), { rules: [rule({ resources: ['*/*'] })] });
    const names = [await world.register('Mutating', [broken]), await world.register('Validating', [broken])] as const;
    const group = world.brand.group('scheduling');
    const other = { apiVersion: `${group}/v1`, kind: 'PriorityClass', metadata: { name: world.fresh() }, value: 1 };
    expectFailure(500, 'InternalError', await world.request('POST', `/apis/${group}/v1/priorityclasses`, other));
    for (const [at, kind] of (['Mutating', 'Validating'] as const).entries()) {
      const path = world.configurations(kind, names[at]);
      expect(200, await world.patch('merge', path, { metadata: { labels: { changed: 'yes' } } }));
      expect(201, await world.request('POST', world.configurations(kind), world.configuration(kind, world.fresh(), [])));
      expect(200, await world.request('DELETE', path));
    }
    expect(201, await world.request('POST', `/apis/${group}/v1/priorityclasses`, other));
  });

  test('webhooks are asked about whoever bears the name of the server', async () => {
    const namespace = await world.namespace();
    await world.register('Validating', [world.webhook(namespace, denying({ code: 403 }))]);
    const headers = { 'impersonate-user': 'system:apiserver', 'impersonate-group': 'system:masters' };
    expect(403, await world.request('POST', `/api/v1/namespaces/${namespace}/configmaps`, world.map('m'), headers));
  });

  test('a configuration counts from the answer to its creation, and every change of it from its own', async () => {
    const namespace = await world.namespace();
    const hook = world.webhook(namespace, denying({ code: 403 }));
    const name = await world.register('Validating', [hook]);
    expect(403, await world.createMap(namespace));
    expect(200, await world.patch('json', world.configurations('Validating', name), [{ op: 'replace', path: '/webhooks/0/rules/0/resources', value: ['secrets'] }]));
    expect(201, await world.createMap(namespace));
    expect(200, await world.patch('json', world.configurations('Validating', name), [{ op: 'replace', path: '/webhooks/0/rules/0/resources', value: ['configmaps'] }]));
    expect(403, await world.createMap(namespace));
    expect(200, await world.request('DELETE', world.configurations('Validating', name)));
    expect(201, await world.createMap(namespace));
  });
});
