// Webhooks that cannot be asked, and answers that are none.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { TestJson } from '#testing';
import { expect, expectFailure } from './world.ts';
import { allowing, answering, denying, patching, type Behaviour, type Heard } from '../support/webhook-server.ts';
import { inBothDialects, WebhookWorld, type Webhook } from '../support/webhook-world.ts';
import { newAuthority } from '../support/certificates.ts';

const raw = (text: string, status = 200, headers: object = {}): Behaviour => (_heard, response) =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
const group = (world: WebhookWorld): string => world.brand.group('admission');
const uidOf = ({ review }: Heard): string => review.request.uid as string;

/** What webhooks do wrong, and what the caller of the API is told. */
const FAILURES: readonly (readonly [what: string, behaviour: Behaviour, told: RegExp])[] = [
  ['close early', (_heard, response) => void response.destroy(), /failed to call webhook: Post "https:\/\/127\.0\.0\.1:\d+\/hook-\d+\?timeout=10s": EOF /],
  ['break off in the middle', (_heard, response) => { response.writeHead(200, { 'content-length': 100 }).write('{'); setImmediate(() => response.destroy()); }, /failed to call webhook: Post /],
  ['answer garbage', raw('<html>'), /failed to call webhook: .* is no JSON: "<html>"/],
  ['answer nothing', raw(''), /failed to call webhook: .* is no JSON: ""/],
  ['answer too much', raw('x'.repeat(3 * 1024 * 1024 + 1)), /answered with more than 3145728 bytes/],
  ['answer with an error', raw('out of order', 503, { 'content-type': 'text/plain' }), /failed to call webhook: the server is currently unable to handle the request /],
  ['answer with an error of their own', raw('out of "order"\n', 500, { 'content-type': 'text/html' }), /failed to call webhook: an error on the server \("out of \\"order\\""\) has prevented the request from succeeding /],
  ['answer with an error in bytes', raw('out of order', 502, { 'content-type': 'image/png' }), /an error on the server \("unknown"\) has prevented the request from succeeding /],
  ['do not answer at that path', raw('', 404, { 'content-type': 'text/plain' }), /failed to call webhook: the server could not find the requested resource /],
  ['answer with a status that says nothing', raw('', 418, { 'content-type': 'text/plain' }), /the server responded with the status code 418 but did not return more information /],
  ['forbid it', raw('not you', 403, { 'content-type': 'text/plain' }), /answered with status 403: "not you"/],
  ['answer with an error in JSON', raw('{"message":"out of order"}', 500), /an error on the server \("unknown"\) has prevented the request from succeeding /],
  ['answer with an error of the API', raw('{"kind":"Status","message":"out of order"}', 500), /answered with status 500: "\{/],
  ['redirect', raw('', 302, { location: '/elsewhere' }), /answered with status 302 \(redirects are not followed\)/],
  ['have no response', () => ({ kind: 'AdmissionReview' }), /received invalid webhook response: webhook response was absent/],
  ['answer null', raw('null'), /received invalid webhook response: webhook response was absent/],
  ['give another uid', answering({ allowed: true, uid: 'other' }), /received invalid webhook response: expected response\.uid="[^"]+", got "other"/],
  ['give a large number as uid', raw('{"response":{"uid":9007199254740993,"allowed":true}}'), /expected response\.uid="[^"]+", got 9007199254740993/],
  ['give a large number as type of patch', (heard, response) => void response.end(`{"kind":"AdmissionReview","apiVersion":"${heard.review.apiVersion}","response":{"uid":"${uidOf(heard)}","allowed":true,"patch":"W10=","patchType":9007199254740993}}`), /unsupported patch type 9007199254740993|validating webhook may not return response\.patch/],
  ['give another kind', (heard) => ({ kind: 'Pod', apiVersion: 'v1', response: { uid: uidOf(heard), allowed: true } }), /expected webhook response of admission\.\S+\/v1, Kind=AdmissionReview, got v1, Kind=Pod/],
  ['give another version', (heard) => ({ kind: 'AdmissionReview', apiVersion: 'x/v1beta1', response: { uid: uidOf(heard), allowed: true } }), /got x\/v1beta1, Kind=AdmissionReview/],
  ['allow in words', answering({ allowed: 'yes' }), /response\.allowed must be true or false/],
  ['give no object as status', answering({ allowed: true, status: 'fine' }), /response\.status must be an object/],
  ['warn in one text', answering({ allowed: true, warnings: 'careful' }), /response\.warnings must be a list of texts/],
  ['warn of numbers', answering({ allowed: true, warnings: ['careful', 1] }), /response\.warnings must be a list of texts/],
  ['annotate with a list', answering({ allowed: true, auditAnnotations: ['a'] }), /response\.auditAnnotations must be an object/],
  ['annotate with numbers', answering({ allowed: true, auditAnnotations: { a: 1 } }), /response\.auditAnnotations must be a map of texts/],
];

/** Records of owners that nobody can read. */
const SPOILED: readonly (readonly [what: string, entry: object, why: RegExp])[] = [
  ['an operation that there is not', { operation: 'Bogus' }, /managedFields was in an invalid state after admission; .*; please fix your requests: .*operation must be Apply or Update/],
  ['no version', { apiVersion: '' }, /please fix your requests: .*apiVersion must not be empty/],
  ['no type of fields', { fieldsType: '' }, /please fix your requests: .*fieldsType must be FieldsV1/],
  ['a path that there is not', { fieldsV1: { 'k:data': {} } }, /please fix your requests: .*data/],
];

/** What only mutating webhooks can do wrong. */
const BAD_PATCHES: readonly (readonly [what: string, response: object, told: RegExp])[] = [
  ['a patch without type', { patch: 'W10=' }, /webhook returned response\.patch but not response\.patchType/],
  ['a type without patch', { patchType: 'JSONPatch' }, /webhook returned response\.patchType but not response\.patch/],
  ['an empty type', { patchType: '' }, /invalid response\.patchType of ""/],
  ['another type', { patch: 'W10=', patchType: 'Merge' }, /unsupported patch type "Merge"/],
  ['no base64', { patch: '[]', patchType: 'JSONPatch' }, /response\.patch is not base64/],
  ['base64 that is not padded', { patch: 'W10', patchType: 'JSONPatch' }, /response\.patch is not base64/],
  // To try every way of splitting them would take hours.
  ['very many empty lines before what is no base64', { patch: `${'\n'.repeat(1_000_000)}!`, patchType: 'JSONPatch' }, /response\.patch is not base64/],
];

/** Patches that cannot be read; no policy helps against them, and a refusal is one all the same. */
const UNREADABLE: readonly (readonly [what: string, text: string, told: RegExp])[] = [
  ['no JSON', '{', /admission webhook "hook\.example\.com" sent a patch that is not JSON once it is decoded from base64/],
  ['no list', '{}', /admission webhook "hook\.example\.com" sent a patch that is not a list of operations/],
];

/** Patches that can be read and break the object; no policy helps against them. */
const BREAKING: readonly (readonly [what: string, operations: object[], code: number, told: RegExp])[] = [
  ['does not apply', [{ op: 'remove', path: '/data/nothing' }], 500, /admission webhook "hook\.example\.com" sent a patch that cannot be applied: operation 0: /],
  ['is no patch', [{ op: 'bogus', path: '/' }], 500, /sent a patch that cannot be applied: operation 0: unknown op "bogus"/],
  ['breaks a type', [{ op: 'replace', path: '/data/a', value: 1 }], 500, /sent a patch that breaks the object: data\.a: expected /],
  ['changes the kind', [{ op: 'replace', path: '/kind', value: 'Secret' }], 500, /what it makes is no ConfigMap of v1/],
  ['replaces the object by none', [{ op: 'replace', path: '', value: [] }], 500, /what it makes is no ConfigMap of v1/],
  ['leaves no metadata that could be any', [{ op: 'replace', path: '/metadata', value: 'x' }], 500, /sent a patch that breaks the object: metadata is no object/],
  ['moves it to another namespace', [{ op: 'replace', path: '/metadata/namespace', value: 'default' }], 400, /namespace of the provided object does not match/],
  ['makes it invalid', [{ op: 'add', path: '/data/not~1good', value: 'x' }], 422, /data\[not\/good\]: Invalid value/],
];

inBothDialects((world) => {
  afterEach(() => world.forget());

  /** Creates an object with a webhook in the way, once for each policy. */
  async function tryBoth(kind: 'Mutating' | 'Validating', webhook: (namespace: string, more: object) => Webhook, told: RegExp): Promise<void> {
    const namespace = await world.namespace();
    const open = await world.register(kind, [webhook(namespace, { failurePolicy: 'Ignore' })]);
    expect(201, await world.createMap(namespace));
    await world.request('DELETE', world.configurations(kind, open));
    const closed = await world.register(kind, [webhook(namespace, {})]);
    const refused = expectFailure(500, 'InternalError', await world.createMap(namespace));
    const start = 'Internal error occurred: failed calling webhook "hook.example.com": ';
    const help = ` (${kind}WebhookConfiguration "${closed}", rules[0], after 0 ms)`;
    assert.ok(refused.message.startsWith(start) && refused.message.endsWith(help), refused.message);
    assert.match(refused.message, told);
    assert.deepEqual(refused.details, { causes: [{ message: refused.message.slice('Internal error occurred: '.length, -help.length) }] });
    assert.equal(expect(200, await world.request('GET', `/api/v1/namespaces/${namespace}/configmaps`)).items.length, 1);
    await world.forget();
  }

  for (const [what, behaviour, told] of FAILURES) {
    test(`R1-18 R7-29 R7-30 RX-23 R4.11-62 R4.11-63 R2.7-19 R2.7-20 webhooks that ${what}`, async () => {
      for (const kind of ['Mutating', 'Validating'] as const) await tryBoth(kind, (namespace, more) => world.webhook(namespace, behaviour, more), told);
    });
  }

  for (const [what, response, told] of BAD_PATCHES) {
    test(`R4.11-62 R4.11-63 mutating webhooks that answer with ${what}`, async () => {
      await tryBoth('Mutating', (namespace, more) => world.webhook(namespace, allowing(response), more), told);
    });
  }

  test('a validating webhook may not patch', async () => {
    await tryBoth('Validating', (namespace, more) => world.webhook(namespace, patching([{ op: 'remove', path: '/data' }]), more), /validating webhook may not return response\.patch/);
    await tryBoth('Validating', (namespace, more) => world.webhook(namespace, allowing({ patchType: 'JSONPatch' }), more), /validating webhook may not return response\.patchType/);
  });

  for (const [what, operations, code, told] of BREAKING) {
    test(`a patch that ${what} is refused, whatever the policy`, async () => {
      const namespace = await world.namespace();
      await world.register('Mutating', [world.webhook(namespace, patching(operations), { failurePolicy: 'Ignore' })]);
      assert.match(expect(code, await world.createMap(namespace)).message, told);
      assert.deepEqual(expect(200, await world.request('GET', `/api/v1/namespaces/${namespace}/configmaps`)).items, []);
    });
  }

  for (const [what, text, told] of UNREADABLE) {
    test(`a patch that is ${what} fails a request that is allowed, and does not hide a refusal, whatever the policy`, async () => {
      const namespace = await world.namespace();
      const response = { patchType: 'JSONPatch', patch: Buffer.from(text).toString('base64') };
      for (const failurePolicy of ['Fail', 'Ignore']) {
        await world.register('Mutating', [world.webhook(namespace, allowing(response), { failurePolicy })]);
        assert.match(expectFailure(500, 'InternalError', await world.createMap(namespace)).message, told);
        await world.forget();
        await world.register('Mutating', [world.webhook(namespace, denying({ message: 'no', code: 403 }, response), { failurePolicy })]);
        assert.equal(expect(403, await world.createMap(namespace)).message, 'admission webhook "hook.example.com" denied the request: no');
        await world.forget();
      }
      assert.deepEqual(expect(200, await world.request('GET', `/api/v1/namespaces/${namespace}/configmaps`)).items, []);
    });
  }

  test('R4.11-67 a refusal counts whatever the policy, also with a patch of a type that there is not', async () => {
    const namespace = await world.namespace();
    const response = { patchType: 'Merge', patch: 'W10=' };
    for (const failurePolicy of ['Fail', 'Ignore']) {
      await world.register('Mutating', [world.webhook(namespace, denying({ message: 'no', code: 403 }, response), { failurePolicy })]);
      assert.equal(expect(403, await world.createMap(namespace)).message, 'admission webhook "hook.example.com" denied the request: no');
      await world.forget();
    }
  });

  test('an object that is there keeps its name, whatever the policy', async () => {
    const namespace = await world.namespace();
    const { metadata } = expect(201, await world.createMap(namespace));
    await world.register('Mutating', [world.webhook(namespace, patching([{ op: 'replace', path: '/metadata/name', value: 'other' }]), { failurePolicy: 'Ignore' })]);
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const refused = expectFailure(400, 'BadRequest', await world.patch('merge', `${path}/${metadata.name}`, { data: { a: '2' } }));
    assert.equal(refused.message, `the name of the object (other) does not match the name on the URL (${metadata.name})`);
    assert.deepEqual(expect(200, await world.request('GET', path)).items.map(({ data, metadata: { name } }: TestJson) => [name, data]), [[metadata.name, { a: '1' }]]);
  });

  test('a new object that is applied or put has the name in the path, whatever a webhook calls it', async () => {
    const namespace = await world.namespace();
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['CREATE'], resources: ['configmaps', 'leases'] }];
    const leases = `/apis/${world.brand.group('coordination')}/v1/namespaces/${namespace}/leases`;
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    expect(201, await world.createMap(namespace, '', {}, { name: 'other' }));
    await world.register('Mutating', [world.webhook(namespace, patching([{ op: 'replace', path: '/metadata/name', value: 'other' }]), { rules })]);
    const told = 'the name of the object (other) does not match the name on the URL (mine)';
    assert.equal(expectFailure(400, 'BadRequest', await world.patch('apply', `${maps}/mine?fieldManager=m`, world.map('mine'))).message, told);
    assert.equal(expectFailure(400, 'BadRequest', await world.request('PUT', `${leases}/mine`, { metadata: { name: 'mine' }, spec: {} })).message, told);
    const names = async (path: string): Promise<readonly string[]> => expect(200, await world.request('GET', path)).items.map(({ metadata }: TestJson) => metadata.name as string);
    assert.deepEqual([await names(maps), await names(leases)], [['other'], []]);
  });

  test('nothing can be changed about a delete', async () => {
    const namespace = await world.namespace();
    const { metadata } = expect(201, await world.createMap(namespace));
    await world.register('Mutating', [world.webhook(namespace, patching([{ op: 'add', path: '/data', value: {} }]))]);
    const refused = expectFailure(500, 'InternalError', await world.request('DELETE', `/api/v1/namespaces/${namespace}/configmaps/${metadata.name}`));
    assert.match(refused.message, /attempted to modify the object, which is not supported for this operation/);
  });

  for (const [what, entry, why] of SPOILED) {
    test(`a webhook that spoils the record of owners by ${what} leaves it as it was, and the caller is told`, async () => {
      const namespace = await world.namespace();
      const good = { manager: 'x', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } };
      const operations = [{ op: 'add', path: '/metadata/managedFields', value: [{ ...good, ...entry }] }];
      await world.register('Mutating', [world.webhook(namespace, patching(operations))]);
      const answer = await world.createMap(namespace);
      const kept = expect(201, answer).metadata.managedFields.map(({ manager, operation }: { manager: string; operation: string }) => [manager, operation]);
      assert.deepEqual(kept, [['orch-test', 'Update']]);
      assert.match(answer.headers['warning'] ?? '', why);
    });
  }

  for (const [seconds, more] of [[10, {}], [2, { timeoutSeconds: 2 }]] as const) {
    test(`R2.7-35 R2.7-36 R4.11-64 R4.11-65 a webhook that says nothing has ${seconds} s`, async () => {
      for (const failurePolicy of ['Fail', 'Ignore']) {
        const namespace = await world.namespace();
        await world.register('Validating', [world.webhook(namespace, () => undefined, { ...more, failurePolicy })]);
        const arrived = new Promise((resolve) => (world.hooks.onHeard = resolve));
        const pending = world.createMap(namespace);
        await arrived;
        let isDone = false;
        void pending.then(() => (isDone = true));
        world.clock.turn(seconds * 1000 - 1);
        await new Promise((resolve) => setImmediate(resolve));
        assert.equal(isDone, false);
        world.clock.turn(1);
        const answer = await pending;
        if (failurePolicy === 'Ignore') expect(201, answer);
        else assert.match(expectFailure(500, 'InternalError', answer).message, new RegExp(`\\?timeout=${seconds}s": context deadline exceeded \\(.*, after ${seconds}000 ms\\)$`));
        await world.forget();
      }
    });
  }

  test('a webhook is told how long the request waits, where that is shorter than its own time', async () => {
    const namespace = await world.namespace();
    const hook = world.webhook(namespace, allowing(), { timeoutSeconds: 20 });
    await world.register('Mutating', [hook]);
    for (const query of ['', '?timeout=10s', '?timeout=1500ms', '?timeout=30s']) expect(201, await world.createMap(namespace, query));
    assert.deepEqual(world.calls(hook).map(({ path }) => path.split('?')[1]), ['timeout=20s', 'timeout=10s', 'timeout=2s', 'timeout=20s']);
  });

  test('the deadline of the request ends the wait for a webhook, whatever its policy', async () => {
    const namespace = await world.namespace();
    await world.register('Mutating', [world.webhook(namespace, () => undefined, { failurePolicy: 'Ignore' })]);
    const answer = await world.createMap(namespace, '?timeout=1ms');
    expectFailure(504, 'Timeout', answer);
    assert.deepEqual(expect(200, await world.request('GET', `/api/v1/namespaces/${namespace}/configmaps`)).items, []);
  });

  test('R2.7-42 R2.7-43 a certificate is verified with the authorities of the configuration, or those of the platform', async () => {
    const stranger = Buffer.from((await newAuthority()).cert).toString('base64');
    for (const caBundle of [stranger, undefined]) {
      const client = ({ url }: { readonly url: string }): object => ({ clientConfig: { url, ...(caBundle === undefined ? {} : { caBundle }) } });
      await tryBoth('Validating', (namespace, more) => {
        const hook = world.webhook(namespace, allowing(), more);
        return { ...hook, ...client(hook.clientConfig) } as Webhook;
      }, /x509: certificate signed by unknown authority/);
    }
  });

  test('a certificate is trusted that stands in the bundle itself, without the authority above it', async () => {
    const namespace = await world.namespace();
    const hook = world.webhook(namespace, allowing());
    const caBundle = Buffer.from(world.hooks.certificate).toString('base64');
    await world.register('Validating', [{ ...hook, clientConfig: { ...hook.clientConfig, caBundle } }]);
    expect(201, await world.createMap(namespace));
    assert.equal(world.asked(hook).length, 1);
  });

  test('R2.7-58 the path in the address of a webhook is called as it is written; in the dialect `kubernetes` without empty segments and a slash at its end', async () => {
    const namespace = await world.namespace();
    const { clientConfig, ...hook } = world.webhook(namespace, denying());
    const [, origin, path] = /^(.*:\d+)(.*)$/.exec(clientConfig.url) ?? [];
    await world.register('Validating', [{ ...hook, clientConfig: { ...clientConfig, url: `${origin}/${path}/` } }]);
    const called = world.dialect === 'orch' ? `/${path}/` : (path ?? '');
    world.hooks.at(called, denying());
    assert.match((await world.createMap(namespace)).text, /denied the request without explanation/);
    assert.equal(world.hooks.callsAt(called)[0]?.path, `${called}?timeout=10s`);
  });

  test('the words about a webhook that nobody runs are those clients know', async () => {
    const namespace = await world.namespace();
    await world.register('Validating', [{ ...world.webhook(namespace, allowing()), clientConfig: { url: 'https://127.0.0.1:1/x' } }]);
    const refused = expectFailure(500, 'InternalError', await world.createMap(namespace));
    const known = 'failed calling webhook "hook.example.com": failed to call webhook: Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused';
    assert.deepEqual(refused.details.causes, [{ message: known }]);
    assert.ok(refused.message.startsWith(`Internal error occurred: ${known}`));
  });

  test('R2.7-15 R2.7-16 a webhook that is registered has no side effects in a dry run', async () => {
    const namespace = await world.namespace();
    const hook = world.webhook(namespace, allowing(), { failurePolicy: 'Ignore' });
    const name = await world.register('Validating', [hook]);
    for (const sideEffects of ['Some', 'Unknown']) {
      const path = world.configurations('Validating', name);
      expectFailure(422, 'Invalid', await world.patch('json', path, [{ op: 'replace', path: '/webhooks/0/sideEffects', value: sideEffects }]));
    }
    expect(201, await world.createMap(namespace, '?dryRun=All'));
    assert.equal(world.asked(hook).length, 1);
  });

  test('R2.7-45 R2.7-46 R2.7-47 R2.7-48 R2.7-49 R4.11-46 a webhook behind a service is called by the name of the service', async () => {
    const namespace = await world.namespace();
    await world.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'infra' } });
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'hook' }, spec: { type: 'ExternalName', externalName: 'localhost' } };
    expect(201, await world.request('POST', '/api/v1/namespaces/infra/services', service));
    world.hooks.at('/', allowing());
    world.hooks.at('/deep/path', allowing());
    const hook = (more: object): object => ({ ...world.webhook(namespace, allowing()), clientConfig: { service: { name: 'hook', namespace: 'infra', port: world.hooks.port, ...more }, caBundle: world.hooks.caBundle } });
    await world.register('Validating', [hook({}), { ...hook({ path: '/deep/path' }), name: 'deep.example.com' }]);
    expect(201, await world.createMap(namespace));
    for (const path of ['/', '/deep/path']) {
      const [call] = world.hooks.callsAt(path);
      assert.deepEqual([call?.path, call?.serverName, call?.headers.host], [`${path}?timeout=10s`, 'hook.infra.svc', `hook.infra.svc:${world.hooks.port}`]);
    }
    await world.forget();
    await world.register('Validating', [{ ...hook({}), clientConfig: { service: { name: 'nobody', namespace: 'infra' } } }]);
    assert.match(expectFailure(500, 'InternalError', await world.createMap(namespace)).message, /Post "https:\/\/nobody\.infra\.svc:443\/\?timeout=10s": service "nobody" not found/);
  });

  test('R2.7-56 R2.7-59 the host of a URL is looked up by the resolver of the machine, not among services', async () => {
    const namespace = await world.namespace();
    const hook = world.webhook(namespace, allowing());
    const url = hook.clientConfig.url.replace('127.0.0.1', 'localhost');
    await world.register('Validating', [{ ...hook, clientConfig: { ...hook.clientConfig, url } }]);
    expect(201, await world.createMap(namespace));
    assert.equal(world.calls(hook)[0]?.serverName, 'localhost');
  });

  test('connections are kept, also where the other side lets go of them', async () => {
    const namespace = await world.namespace();
    const hook = world.webhook(namespace, allowing());
    await world.register('Validating', [hook]);
    for (let call = 0; call < 3; call++) expect(201, await world.createMap(namespace));
    assert.equal(new Set(world.calls(hook).map(({ remotePort }) => remotePort)).size, 1);
    world.hooks.hangUp();
    expect(201, await world.createMap(namespace));
    assert.equal(new Set(world.calls(hook).map(({ remotePort }) => remotePort)).size, 2);
  });

  test('a webhook that is taken away while it is asked is heard all the same, and then no more', async () => {
    for (const kind of ['Mutating', 'Validating'] as const) {
      const namespace = await world.namespace();
      let name = '';
      const leaving: Behaviour = async (heard, response) => {
        expect(200, await world.request('DELETE', world.configurations(kind, name)));
        return denying({ code: 403, message: 'my last word' })(heard, response);
      };
      name = await world.register(kind, [world.webhook(namespace, leaving, { failurePolicy: 'Ignore' })]);
      assert.match(expect(403, await world.createMap(namespace)).message, /my last word$/);
      expect(201, await world.createMap(namespace));
    }
  });

  test('R6-19 R6-21 what fails is told to the observer', async () => {
    const namespace = await world.namespace();
    const { rejections, failedOpen } = world.observed;
    const [name, operation] = ['hook.example.com', 'CREATE'] as const;
    for (const [hook, expected] of [
      [world.webhook(namespace, raw('')), { errorType: 'calling_webhook_error', rejectionCode: 400 }],
      [world.webhook(namespace, patching([{ op: 'remove', path: '/nothing' }])), { errorType: 'apiserver_internal_error', rejectionCode: 0 }],
      [world.webhook(namespace, denying({ code: 403 })), { errorType: 'no_error', rejectionCode: 403 }],
    ] as const) {
      rejections.length = 0;
      await world.register('Mutating', [hook]);
      await world.createMap(namespace);
      assert.deepEqual(rejections, [{ name, type: 'admit', operation, ...expected }]);
      await world.forget();
    }
    failedOpen.length = 0;
    await world.register('Validating', [world.webhook(namespace, raw(''), { failurePolicy: 'Ignore' })]);
    expect(201, await world.createMap(namespace));
    assert.deepEqual(failedOpen, [{ name, type: 'validating' }]);
  });

  test('members called __proto__ and constructor are ordinary data', async () => {
    const namespace = await world.namespace();
    const answer = (heard: Heard): string => `{"kind":"AdmissionReview","apiVersion":"${group(world)}/v1","response":{"uid":"${uidOf(heard)}","__proto__":{"allowed":true},"constructor":1}}`;
    await world.register('Validating', [world.webhook(namespace, (heard, response) => void response.end(answer(heard)))]);
    expect(400, await world.createMap(namespace));
  });
});

test('a webhook that fails and is ignored is a line in the log, once in ten minutes', async () => {
  const lines: unknown[] = [];
  const world = new WebhookWorld('orch');
  await world.start({ log: { info: () => {}, warn: (...line) => void lines.push(line), error: () => {} } });
  try {
    const namespace = await world.namespace();
    for (const kind of ['Mutating', 'Validating'] as const) {
      const behaviours = [raw('', 404, { 'content-type': 'text/plain' }), raw('', 404, { 'content-type': 'text/plain' }), raw('secret'), raw('', 404, { 'content-type': 'text/plain' })];
      const name = await world.register(kind, [world.webhook(namespace, (...heard) => behaviours.shift()?.(...heard), { failurePolicy: 'Ignore' })]);
      for (let n = 0; n < 3; n++) expect(201, await world.createMap(namespace));
      world.clock.turn(600_000);
      expect(201, await world.createMap(namespace));
      await world.forget();
      const origin = `https://127.0.0.1:${world.hooks.port}`;
      const whys = ['the server could not find the requested resource', `${origin} answered with something that is no JSON: <not logged>`, 'the server could not find the requested resource'];
      const line = (why: string): unknown => ['a webhook failed, and its requests pass, as its failurePolicy says', { webhook: 'hook.example.com', [`${kind}WebhookConfiguration`]: name, why: `failed to call webhook: ${why}` }];
      assert.deepEqual(lines.splice(0), whys.map(line));
    }
  } finally {
    await world.end();
  }
});

test('a patch that a webhook gets wrong is a line in the log that names the webhook, and no failure of this server', async () => {
  const lines: string[] = [];
  const note = (level: string) => (message: string, fields?: Readonly<Record<string, unknown>>): void => void lines.push(`${level} ${message}: ${String(fields?.['why'])}`);
  const world = new WebhookWorld('orch');
  await world.start({ log: { info: () => {}, warn: note('warn'), error: note('error') } });
  try {
    const namespace = await world.namespace();
    const patches = ['no JSON', '{}', '[{"op":"remove","path":"/none"}]', '[{"op":"add","path":"/data","value":{"a":5}}]'];
    for (const text of patches) {
      await world.register('Mutating', [world.webhook(namespace, allowing({ patchType: 'JSONPatch', patch: Buffer.from(text).toString('base64') }))]);
      expectFailure(500, 'InternalError', await world.createMap(namespace));
      await world.forget();
    }
  } finally {
    await world.end();
  }
  const begin = 'warn a request failed at somebody whom the server asked: Internal error occurred: admission webhook "hook.example.com" sent a patch that';
  const whys = ['is not JSON once it is decoded from base64 (', 'is not a list of operations (', 'cannot be applied: <not logged>', 'breaks the object: <not logged>'];
  assert.deepEqual(lines.map((line, position) => line.startsWith(`${begin} ${whys[position]}`)), whys.map(() => true), lines.join('\n'));
});
