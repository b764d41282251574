// What webhooks are sent, and what becomes of what they answer.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { TestJson } from '#testing';
import { expect, expectFailure } from './world.ts';
import { allowing, answering, denying, patching } from '../support/webhook-server.ts';
import { inBothDialects } from '../support/webhook-world.ts';

const add = (path: string, value: unknown): object => ({ op: 'add', path, value });

inBothDialects((world) => {
  afterEach(() => world.forget());

  test('R4.11-45 R4.11-46 R4.11-69 R2.7-11 R2.7-51 R2.7-57 R2.7-58 a review is sent over HTTPS as POST to the path of the URL, with everything about the request', async () => {
    const namespace = await world.namespace();
    const path = `/a%20b/~x/${world.fresh()}`;
    const hook = world.webhook(namespace, allowing(), { clientConfig: world.hooks.at(path, allowing()), admissionReviewVersions: ['v9', 'v1beta1', 'v1'], timeoutSeconds: 7 });
    await world.register('Validating', [hook]);
    const made = expect(201, await world.createMap(namespace, '?fieldManager=me', {}, { labels: { l: 'x' } }));
    const [call] = world.hooks.callsAt(path);
    assert.equal(call?.path, `${path}?timeout=7s`);
    assert.match(call.headers['content-type'] ?? '', /^application\/json/);
    assert.equal(call.headers['user-agent'], 'kube-apiserver-admission');
    assert.ok(call);
    const { kind, apiVersion, request } = call.review;
    assert.deepEqual([kind, apiVersion], ['AdmissionReview', `${world.brand.group('admission')}/v1beta1`]);
    const { uid, object, ...rest } = request;
    assert.match(uid, /^[0-9a-f-]{36}$/);
    assert.deepEqual(rest, {
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: made.metadata.name,
      namespace,
      operation: 'CREATE',
      userInfo: { username: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: `${world.brand.group('meta')}/v1`, fieldManager: 'me' },
    });
    const { resourceVersion: _, ...metadata } = made.metadata;
    assert.deepEqual(object, { ...made, metadata });
  });

  test('R4.11-69 update, patch, apply and delete show old and new object and the options of what is done', async () => {
    const namespace = await world.namespace();
    const [first, second] = [world.webhook(namespace, allowing()), world.webhook(namespace, allowing())];
    await world.register('Mutating', [first]);
    await world.register('Validating', [second]);
    const made = expect(201, await world.createMap(namespace));
    const path = `/api/v1/namespaces/${namespace}/configmaps/${made.metadata.name}`;
    expect(200, await world.request('PUT', path, { ...made, data: { a: '2' } }));
    expect(200, await world.patch('merge', path, { data: { a: '3' } }));
    expect(201, await world.patch('apply', `/api/v1/namespaces/${namespace}/configmaps/applied?fieldManager=me`, world.map('applied')));
    expect(200, await world.request('DELETE', path, { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 3, preconditions: { uid: made.metadata.uid }, propagationPolicy: 'Background' }));
    expect(200, await world.request('DELETE', `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`));
    const meta = `${world.brand.group('meta')}/v1`;
    for (const hook of [first, second]) {
      const rows = world.asked(hook).map(({ operation, object, oldObject, options, name }) => [operation, object?.data.a, oldObject?.data.a, options, name]);
      assert.deepEqual(rows, [
        ['CREATE', '1', undefined, { kind: 'CreateOptions', apiVersion: meta }, made.metadata.name],
        ['UPDATE', '2', '1', { kind: 'UpdateOptions', apiVersion: meta }, made.metadata.name],
        ['UPDATE', '3', '2', { kind: 'UpdateOptions', apiVersion: meta }, made.metadata.name],
        ['CREATE', '1', undefined, { kind: 'CreateOptions', apiVersion: meta, fieldManager: 'me' }, 'applied'],
        ['DELETE', undefined, '3', { kind: 'DeleteOptions', apiVersion: meta, gracePeriodSeconds: 3, preconditions: { uid: made.metadata.uid }, propagationPolicy: 'Background' }, made.metadata.name],
        ['DELETE', undefined, '1', { kind: 'DeleteOptions', apiVersion: meta, dryRun: ['All'] }, undefined],
      ]);
    }
  });

  test('R4.11-01 R4.11-55 mutating webhooks come first, in order of names, each seeing what the one before made of the object; validating ones see what is stored', async () => {
    const namespace = await world.namespace();
    const last = world.webhook(namespace, patching([add('/data/b', '2')]), { name: 'last.example.com' });
    const [one, two] = [patching([add('/data/c', '3')]), patching([add('/metadata/labels', { seen: 'yes' })])].map((behaviour, at) =>
      world.webhook(namespace, behaviour, { name: `n${9 - at}.example.com` }),
    ) as [typeof last, typeof last];
    const check = world.webhook(namespace, allowing());
    await world.register('Validating', [check], world.fresh('a'));
    await world.register('Mutating', [last], world.fresh('z'));
    await world.register('Mutating', [one, two], world.fresh('b'));
    const made = expect(201, await world.createMap(namespace));
    assert.deepEqual([made.data, made.metadata.labels], [{ a: '1', b: '2', c: '3' }, { seen: 'yes' }]);
    assert.deepEqual(world.asked(one)[0]?.object.data, { a: '1' });
    assert.deepEqual(world.asked(two)[0]?.object.data, { a: '1', c: '3' });
    assert.deepEqual(world.asked(last)[0]?.object.metadata.labels, { seen: 'yes' });
    const { resourceVersion: _, ...metadata } = made.metadata;
    assert.deepEqual(world.asked(check)[0]?.object, { ...made, metadata });
  });

  test('defaults are set and the object is validated after a webhook changed it', async () => {
    const namespace = await world.namespace();
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['services'] }];
    await world.register('Mutating', [world.webhook(namespace, patching([add('/spec/ports/-', { name: 'extra', port: 81 })]), { rules })]);
    const service = (name: string, ports: object[]): object => ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports } });
    const made = expect(201, await world.request('POST', `/api/v1/namespaces/${namespace}/services`, service('a', [{ name: 'p', port: 80 }])));
    assert.deepEqual(made.spec.ports[1], { name: 'extra', port: 81, protocol: 'TCP', targetPort: 81 });
    const refused = expectFailure(422, 'Invalid', await world.request('POST', `/api/v1/namespaces/${namespace}/services`, service('b', [{ name: 'extra', port: 80 }])));
    assert.equal(refused.details.causes[0].field, 'spec.ports[1].name');
  });

  test('R4.11-52 R4.11-54 IfNeeded is asked again when a later webhook changed the object; R4.11-53 Never is not', async () => {
    const namespace = await world.namespace();
    const again = world.webhook(namespace, patching([add('/data/seen', 'yes')]), { name: 'again.example.com', reinvocationPolicy: 'IfNeeded' });
    const never = world.webhook(namespace, allowing(), { name: 'never.example.com', reinvocationPolicy: 'Never' });
    const later = world.webhook(namespace, patching([add('/data/later', 'yes')]), { name: 'later.example.com', reinvocationPolicy: 'IfNeeded' });
    await world.register('Mutating', [again, never, later]);
    expect(201, await world.createMap(namespace));
    assert.deepEqual(world.asked(again).map(({ object }) => Object.keys(object.data)), [['a'], ['a', 'later', 'seen']]);
    assert.equal(world.asked(never).length, 1);
    assert.equal(world.asked(later).length, 1);
  });

  test('R4.11-52 IfNeeded is asked again also where its configuration was written meanwhile, as by who keeps certificates in it', async () => {
    const namespace = await world.namespace();
    const again = world.webhook(namespace, allowing(), { name: 'again.example.com', reinvocationPolicy: 'IfNeeded' });
    const once = world.webhook(namespace, allowing(), { name: 'once.example.com' });
    const later = world.webhook(namespace, async (heard, response) => {
      expect(200, await world.patch('merge', world.configurations('Mutating', name), { metadata: { labels: { written: 'again' } } }));
      return patching([add('/data/later', 'yes')])(heard, response);
    });
    const name = await world.register('Mutating', [once, again, later]);
    expect(201, await world.createMap(namespace));
    assert.deepEqual([once, again, later].map((hook) => world.asked(hook).length), [1, 2, 1]);
  });

  test('R4.11-52 mutating plugins run once more where a webhook changed the object, and only there', async () => {
    const runs: number[] = [];
    for (const operations of [[], [add('/unknown', 1)], [add('/data/b', '2')]]) {
      const namespace = await world.namespace();
      await world.register('Mutating', [world.webhook(namespace, patching(operations))]);
      world.observed.plugins.length = 0;
      expect(201, await world.createMap(namespace));
      runs.push(world.observed.plugins.filter(({ name, step }) => name === 'MutatingAdmissionWebhook' && step === 'admit').length);
    }
    assert.deepEqual(runs, [1, 1, 2]);
  });

  test('R4.11-52 what nobody knows is no change: for a patch that adds nothing else nobody is asked again', async () => {
    const namespace = await world.namespace();
    const first = world.webhook(namespace, allowing(), { name: 'first.example.com', reinvocationPolicy: 'IfNeeded' });
    const useless = world.webhook(namespace, patching([add('/unknown', 1), add('/metadata/unknown', 1)]), { name: 'useless.example.com' });
    await world.register('Mutating', [first, useless]);
    const { unknown, metadata } = expect(201, await world.createMap(namespace));
    assert.deepEqual([unknown, metadata.unknown, world.asked(first).length], [undefined, undefined, 1]);
  });

  test('R4.11-52 a change that moves built-in plugins to another one has IfNeeded webhooks asked again', async () => {
    const namespace = await world.namespace();
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
    const toleration = { key: `node.${world.brand.names.domain}/not-ready`, operator: 'Exists', effect: 'NoExecute' };
    const hook = world.webhook(namespace, patching([{ op: 'replace', path: '/spec/tolerations', value: [toleration] }]), { rules, reinvocationPolicy: 'IfNeeded' });
    await world.register('Mutating', [hook]);
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
    await world.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, account);
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    expect(201, await world.request('POST', `/api/v1/namespaces/${namespace}/pods`, pod));
    // The plugin puts back the toleration for unreachable nodes, and the webhook sees it.
    const [first, second] = world.asked(hook).map(({ object }) => object.spec.tolerations.map((one: TestJson) => one.key.split('/')[1]));
    assert.deepEqual([first, second], [['not-ready', 'unreachable'], ['not-ready', 'unreachable']]);
  });

  test('R4.11-67 R4.11-68 R4.11-02 a refusal ends the request with the code, reason and words of the webhook', async () => {
    const namespace = await world.namespace();
    const rows: readonly (readonly [status: object | undefined, code: number, reason: string | undefined, message: string])[] = [
      [undefined, 400, undefined, 'admission webhook "hook.example.com" denied the request without explanation'],
      [{ code: 403, reason: 'Forbidden', message: 'no' }, 403, 'Forbidden', 'admission webhook "hook.example.com" denied the request: no'],
      [{ code: 409, reason: 'OwnWords' }, 409, 'OwnWords', 'admission webhook "hook.example.com" denied the request: OwnWords'],
      [{ code: 200, status: 'Success', message: 'so be it' }, 400, undefined, 'admission webhook "hook.example.com" denied the request: so be it'],
      ...[2 ** 31, 403.5, 1e300, '403'].map((code) => [{ code, message: 'no' }, 400, undefined, 'admission webhook "hook.example.com" denied the request: no'] as const),
    ];
    for (const [status, code, reason, message] of rows) {
      for (const kind of ['Mutating', 'Validating'] as const) {
        await world.register(kind, [world.webhook(namespace, denying(status))]);
        const answer = await world.createMap(namespace);
        const body = expect(code, answer);
        assert.deepEqual([body.kind, body.status, body.reason, body.code, body.message], ['Status', 'Failure', reason, code, message]);
        await world.forget();
      }
    }
    assert.deepEqual(expect(200, await world.request('GET', `/api/v1/namespaces/${namespace}/configmaps`)).items, []);
  });

  test('R4.11-67 details of a refusal reach the caller; several validating webhooks are asked at once and the first in order counts', async () => {
    const namespace = await world.namespace();
    const details = { kind: 'things', name: 'x', causes: [{ reason: 'R', message: 'm', field: 'data.a' }], retryAfterSeconds: 7 };
    const first = world.webhook(namespace, denying({ code: 429, message: 'one', details }), { name: 'one.example.com' });
    const second = world.webhook(namespace, denying({ code: 403, message: 'two' }), { name: 'two.example.com' });
    await world.register('Validating', [first, second]);
    const answer = await world.createMap(namespace);
    assert.deepEqual(expect(429, answer).details, details);
    assert.equal(answer.headers['retry-after'], '7');
    assert.deepEqual([first, second].map((hook) => world.asked(hook).length), [1, 1]);
    await world.forget();
    // No client could read these: their numbers have 32 bits.
    for (const retryAfterSeconds of [2 ** 31, 1e300, 1.5, -1]) {
      await world.register('Validating', [world.webhook(namespace, denying({ code: 429, details: { name: 'x', retryAfterSeconds } }))]);
      const refused = await world.createMap(namespace);
      assert.deepEqual([expect(429, refused).details, refused.headers['retry-after']], [{ name: 'x' }, undefined]);
      await world.forget();
    }
  });

  test('a refused delete stays undone', async () => {
    const namespace = await world.namespace();
    const { metadata } = expect(201, await world.createMap(namespace));
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }];
    await world.register('Validating', [world.webhook(namespace, denying({ code: 403, message: 'keep it' }), { rules })]);
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    expect(403, await world.request('DELETE', `${path}/${metadata.name}`));
    expect(403, await world.request('DELETE', path));
    expect(200, await world.request('GET', `${path}/${metadata.name}`));
  });

  test('R4.11-69 warnings reach the caller', async () => {
    const namespace = await world.namespace();
    await world.register('Mutating', [world.webhook(namespace, allowing({ warnings: ['from the first'] }))]);
    await world.register('Validating', [world.webhook(namespace, denying({ code: 403 }, { warnings: ['from the second'] }))]);
    const answer = await world.createMap(namespace);
    assert.equal(answer.status, 403);
    assert.match(answer.headers['warning'] ?? '', /299 - "from the first", 299 - "from the second"/);
  });

  test('R4.8-17 R4.11-58 R4.11-59 a dry run says so, and asks webhooks without side effects', async () => {
    const namespace = await world.namespace();
    const hooks = ['None', 'NoneOnDryRun'].map((sideEffects, at) => world.webhook(namespace, allowing(), { sideEffects, name: `n${at}.example.com` }));
    await world.register('Mutating', hooks);
    await world.register('Validating', hooks);
    expect(201, await world.createMap(namespace, '?dryRun=All'));
    for (const hook of hooks) assert.deepEqual(world.asked(hook).map(({ dryRun, options }) => [dryRun, options.dryRun]), [[true, ['All']], [true, ['All']]]);
  });

  test('patches change any part of an object, and an empty one nothing', async () => {
    const namespace = await world.namespace();
    const operations = [{ op: 'remove', path: '/data/a' }, add('/metadata/annotations', { 'x/y': '1' }), { op: 'replace', path: '/metadata/annotations/x~1y', value: '2' }];
    await world.register('Mutating', [world.webhook(namespace, patching(operations)), world.webhook(namespace, patching([]), { name: 'empty.example.com' })]);
    const { data, metadata } = expect(201, await world.createMap(namespace));
    assert.deepEqual([data, metadata.annotations], [undefined, { 'x/y': '2' }]);
  });

  test('a patch is read from base64 with line breaks, and from a list of the numbers of its bytes', async () => {
    const namespace = await world.namespace();
    const [one, two] = ['one', 'two'].map((key) => Buffer.from(JSON.stringify([add(`/data/${key}`, 'yes')])));
    const patches = [`\n${one?.toString('base64').replaceAll(/.{7}/g, '$&\r\n')}\n`, [...(two ?? [])]];
    const hooks = patches.map((patch, at) => world.webhook(namespace, allowing({ patchType: 'JSONPatch', patch }), { name: `n${at}.example.com` }));
    await world.register('Mutating', hooks);
    assert.deepEqual(expect(201, await world.createMap(namespace)).data, { a: '1', one: 'yes', two: 'yes' });
  });

  test('the older review needs neither uid nor type of patch in its answer', async () => {
    const namespace = await world.namespace();
    const patch = Buffer.from(JSON.stringify([add('/data/old', 'yes')])).toString('base64');
    const bare = (): object => ({ response: { allowed: true, patch } });
    await world.register('Mutating', [world.webhook(namespace, bare, { admissionReviewVersions: ['v1beta1'] })]);
    await world.register('Validating', [world.webhook(namespace, answering({ allowed: true, uid: 'another' }), { admissionReviewVersions: ['v1beta1', 'v1'] })]);
    assert.equal(expect(201, await world.createMap(namespace)).data.old, 'yes');
  });

  test('the older review is answered with one, where the answer says what it is', async () => {
    const namespace = await world.namespace();
    const apiVersion = `${world.brand.group('admission')}/v1beta1`;
    const ask = async (head: object): Promise<{ readonly status: number; readonly text: string }> => {
      const name = await world.register('Validating', [world.webhook(namespace, () => ({ ...head, response: { allowed: true } }), { admissionReviewVersions: ['v1beta1'] })]);
      const answer = await world.createMap(namespace);
      await world.request('DELETE', world.configurations('Validating', name));
      return answer;
    };
    for (const head of [{ apiVersion, kind: 'AdmissionReview' }, { apiVersion }, { kind: 'AdmissionReview' }]) assert.equal((await ask(head)).status, 201, JSON.stringify(head));
    for (const head of [{ apiVersion: apiVersion.replace('v1beta1', 'v1'), kind: 'AdmissionReview' }, { apiVersion: 'x/v1beta1' }, { kind: 'Status' }]) {
      const { status, text } = await ask(head);
      assert.equal(status, 500, JSON.stringify(head));
      assert.match(text, /received invalid webhook response: expected webhook response of admission\.\S+\/v1beta1, Kind=AdmissionReview, got /);
    }
  });

  test('a webhook sees the scale of an object, and may change the replicas', async () => {
    const namespace = await world.namespace();
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec: { selector: { matchLabels: { app: 'a' } }, template } };
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    expect(201, await world.request('POST', path, deployment));
    const rules = [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['*/scale'] }];
    const hook = world.webhook(namespace, patching([{ op: 'replace', path: '/spec/replicas', value: 4 }]), { rules });
    await world.register('Mutating', [hook]);
    assert.equal(expect(200, await world.patch('merge', `${path}/d/scale`, { spec: { replicas: 3 } })).spec.replicas, 4);
    const [asked] = world.asked(hook);
    assert.deepEqual([asked.kind, asked.resource.resource, asked.subResource, asked.requestSubResource], [{ group: 'autoscaling', version: 'v1', kind: 'Scale' }, 'deployments', 'scale', 'scale']);
    assert.deepEqual([asked.object.kind, asked.object.spec.replicas, asked.oldObject.spec.replicas], ['Scale', 3, 1]);
  });

  test('R6-15 R6-16 R6-17 R6-18 R6-20 R6-22 R6-23 what webhooks do is told to the observer', async () => {
    const namespace = await world.namespace();
    const { webhooks, rejections, plugins, steps } = world.observed;
    for (const list of [webhooks, rejections, plugins, steps]) list.length = 0;
    await world.register('Mutating', [world.webhook(namespace, allowing())]);
    await world.register('Validating', [world.webhook(namespace, denying({ code: 700, message: 'no' }))]);
    expect(500, await world.createMap(namespace));
    const [name, operation] = ['hook.example.com', 'CREATE'] as const;
    assert.deepEqual(webhooks, [
      { name, type: 'admit', operation, rejected: false, durationMs: 0, code: 200 },
      { name, type: 'validating', operation, rejected: true, durationMs: 0, code: 700 },
    ]);
    assert.deepEqual(rejections, [{ name, type: 'validating', operation, errorType: 'no_error', rejectionCode: 600 }]);
    const about = plugins.filter((run) => run.name.endsWith('AdmissionWebhook') && run.rejected).map((run) => [run.name, run.step, run.operation]);
    assert.deepEqual(about, [['ValidatingAdmissionWebhook', 'validate', 'CREATE']]);
    assert.deepEqual(steps.slice(-2).map((run) => [run.step, run.rejected]), [['admit', false], ['validate', true]]);
  });
});
