// API groups that other servers serve.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { TEST_TOKENS } from '#testing';
import { inBothDialects, type AggregationWorld } from '../support/aggregation-world.ts';
import { newAuthority } from '../support/certificates.ts';
import { expect, expectFailure } from './world.ts';

const unavailable = 'service unavailable\n';
const last = (world: AggregationWorld): (typeof world.other.proxied)[number] => {
  const asked = world.other.proxied.at(-1);
  assert.ok(asked);
  return asked;
};

inBothDialects((world) => {
  test('a request for what another server serves goes there, with who asks and without how that was known', async () => {
    const group = world.group();
    assert.deepEqual(pick(await world.aggregate(group)), ['True', 'Passed', 'all checks passed']);
    const path = `/apis/${group}/v1/namespaces/n/things?dryRun=All&x=a%20b`;
    const answer = await world.post(path, { spec: 1 }, {
      'x-remote-user': 'eve',
      'x-remote-group': 'system:masters',
      'x-remote-extra-scopes': 'all',
      'impersonate-user': 'alice',
      'impersonate-group': 'dev',
      'impersonate-extra-a%2Fb': 'ü',
      'x-kept': 'yes',
      connection: 'x-dropped',
      'x-dropped': 'no',
    });
    // Who is impersonated may do nothing here.
    assert.equal(answer.status, 403);
    const allowed = await world.post(path, { spec: 1 }, { 'x-remote-user': 'eve', 'x-remote-group': 'g', 'x-remote-extra-a': 'b', 'x-kept': 'yes', connection: 'x-dropped', 'x-dropped': 'no' });
    assert.deepEqual([allowed.status, allowed.text, allowed.headers['x-theirs'], allowed.headers['x-hop']], [201, '{"kind":"Thing"}', 'yes', undefined]);
    const { line, headers, body, caller } = last(world);
    assert.equal(line, `POST /apis/${group}/v1/namespaces/n/things?dryRun=All&x=a+b`);
    assert.deepEqual([body, caller], ['{"spec":1}', 'front-proxy']);
    assert.deepEqual([headers['x-remote-user'], headers['x-remote-group'], headers['x-remote-extra-a']], ['admin', 'system:masters, system:authenticated', undefined]);
    assert.deepEqual([headers.authorization, headers['x-dropped'], headers['x-kept']], [undefined, undefined, 'yes']);
    assert.deepEqual([headers.host, headers['x-forwarded-host'], headers['x-forwarded-proto']], ['backend.infra.svc', 'backend.infra.svc', 'https']);
  });

  test('what proxies in front say who asks by is handed on for nobody else', async () => {
    const group = world.group();
    await world.aggregate(group);
    expect(201, await world.post(`/apis/${group}/v1/things`, {}, { 'x-known-as': 'eve', 'x-member-of': 'system:masters', 'x-known-by-scopes': 'all', 'x-kept': 'yes' }));
    const { headers } = last(world);
    assert.deepEqual([headers['x-known-as'], headers['x-member-of'], headers['x-known-by-scopes'], headers['x-kept']], [undefined, undefined, undefined, 'yes']);
  });

  test('the events of the other server have the id of those here, whoever gave it', async () => {
    const group = world.group();
    await world.aggregate(group);
    const path = `/apis/${group}/v1/things`;
    // What is no id is not taken for one here.
    for (const given of [{}, { 'audit-id': 'of-the-client' }, { 'audit-id': 'x'.repeat(65) }]) {
      const { headers } = await world.post(path, {}, given);
      assert.ok(headers['audit-id']);
      assert.equal(last(world).headers['audit-id'], headers['audit-id']);
    }
  });

  test('an impersonated user is who asks, and nothing says who impersonates', async () => {
    const group = world.group();
    await world.aggregate(group);
    const impersonating = { 'impersonate-user': 'jim', 'impersonate-group': 'system:masters', 'impersonate-extra-a%2fb': 'c' };
    expect(201, await world.post(`/apis/${group}/v1/things`, {}, impersonating));
    const { headers } = last(world);
    assert.deepEqual([headers['x-remote-user'], headers['x-remote-extra-a%2fb']], ['jim', 'c']);
    assert.deepEqual(Object.keys(headers).filter((name) => name.startsWith('impersonate-')), []);
  });

  test('who may not ask here is not asked about there', async () => {
    const group = world.group();
    await world.aggregate(group);
    const before = world.other.proxied.length;
    expectFailure(403, 'Forbidden', await world.get(`/apis/${group}/v1/things`, { authorization: `Bearer ${TEST_TOKENS.bob}` }));
    assert.equal(world.other.proxied.length, before);
  });

  test('a path that climbs is refused', async () => {
    const group = world.group();
    await world.aggregate(group);
    for (const path of ['things/../x', 'things/..', 'things/%2e%2e/x', './things']) expectFailure(400, 'BadRequest', await world.get(`/apis/${group}/v1/${path}`));
    await world.get(`/apis/${group}/v1/things/a%23%3Fb`);
    assert.equal(last(world).line, `GET /apis/${group}/v1/things/a%23%3Fb`);
  });

  test('a watch goes on for as long as the other server has something to say', async () => {
    const group = world.group();
    await world.aggregate(group);
    const watch = await world.api.watch(`/apis/${group}/v1/things?watch=1`);
    assert.equal((await watch.next(1))[0].type, 'ADDED');
    world.other.endWatches();
    assert.deepEqual((await watch.rest()).map(({ type }) => type), ['DELETED']);
  });

  test('a connection that goes on with another protocol is joined, and no token travels in its offer', async () => {
    const group = world.group();
    await world.aggregate(group);
    const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(TEST_TOKENS.admin).toString('base64url')}`;
    const { answer, socket } = await upgrade(world, `/apis/${group}/v1/things/x/exec`, { 'sec-websocket-protocol': `${token}, v4.channel` });
    assert.equal(answer.statusCode, 101);
    socket.write('back');
    assert.equal(await read(socket, 'hello back'.length), 'hello back');
    const { headers } = last(world);
    assert.deepEqual([headers['sec-websocket-protocol'], headers.authorization, headers['x-remote-user']], ['v4.channel', undefined, 'admin']);
    socket.destroy();
    for (const other of world.other.open) await once(other, 'close');
    // Nothing but the answer of the other server is a failure of it.
    const ignored = await world.get(`/apis/${group}/v1/ignored`, { connection: 'Upgrade', upgrade: 'websocket' });
    assert.deepEqual([ignored.status, ignored.text], [503, 'invalid upgrade response: status code 200\n']);
  });

  test('who does not answer the check of its availability, or lets go of it, is told as clients know it', async () => {
    const group = world.group();
    world.other.behaves = (request) => request.socket.destroy();
    const dropped = await world.aggregate(group);
    assert.match(dropped.message, /^failing or missing response from (\S+): Get "\1": EOF$/);
    const asked = new Promise<void>((resolve) => (world.other.behaves = () => resolve()));
    world.clock.turn(5_000);
    await asked;
    world.clock.turn(5_000);
    const told = await world.until(`v1.${group}`, ({ message }) => !message.endsWith('EOF'));
    assert.match(told.message, /^failing or missing response from (\S+): Get "\1": context deadline exceeded \(Client\.Timeout exceeded while awaiting headers\)$/);
    world.other.behaves = undefined;
  });

  test('who asks what a group has waits for a server that does not answer for five seconds', { timeout: 30_000 }, async () => {
    const group = world.group();
    await world.aggregate(group);
    // The check of its availability asks the same.
    const asked = new Promise<void>((resolve) => (world.other.behaves = ({ headers }) => headers['x-remote-user'] === 'admin' && resolve()));
    const answer = world.get(`/apis/${group}/v1`);
    await asked;
    world.clock.turn(5_000);
    const { status, text } = await answer;
    world.other.behaves = undefined;
    assert.deepEqual([status, text], [503, 'error trying to reach service: context deadline exceeded\n']);
  });

  test('no redirect is handed back', async () => {
    const group = world.group();
    await world.aggregate(group);
    const answer = await world.get(`/apis/${group}/v1/moved`);
    assert.deepEqual([answer.status, answer.text], [502, 'the backend attempted to redirect this request, which is not permitted']);
    assert.equal(answer.headers['location'], undefined);
  });

  test('R4.7-08 protobuf is not available for aggregated types', { skip: world.brand.dialect === 'kubernetes' && 'there it is handed on, as in Kubernetes' }, async () => {
    const group = world.group();
    await world.aggregate(group);
    const path = `/apis/${group}/v1/things`;
    const { protobuf } = world.brand.names;
    // Failures have protobuf.
    assert.equal((await world.get(path, { accept: protobuf })).status, 406);
    expectFailure(415, 'UnsupportedMediaType', await world.post(path, 'x', { 'content-type': protobuf }));
    expect(201, await world.get(path, { accept: `${protobuf}, application/json;q=0.5` }));
    assert.equal(last(world).headers.accept?.trim(), 'application/json;q=0.5');
  });

  test('protobuf is handed on where Kubernetes does it', { skip: world.brand.dialect === 'orch' && 'there it is not available' }, async () => {
    const group = world.group();
    await world.aggregate(group);
    const { protobuf } = world.brand.names;
    expect(201, await world.post(`/apis/${group}/v1/things`, 'x', { 'content-type': protobuf, accept: protobuf }));
    assert.deepEqual([last(world).headers.accept, last(world).headers['content-type']], [protobuf, protobuf]);
  });

  test('a server that lets go of a request, or cannot be reached any more, is unavailable', async () => {
    const group = world.group();
    await world.aggregate(group);
    const dropped = await world.get(`/apis/${group}/v1/dropped`);
    assert.deepEqual([dropped.status, dropped.headers['content-type']], [503, 'text/plain; charset=utf-8']);
    assert.match(dropped.text, /\n$/);
    const name = `elsewhere-${world.brand.dialect}`;
    await world.service(name, { type: 'ExternalName', externalName: 'localhost' });
    const service = { namespace: 'infra', name, port: world.other.port };
    const spec = { version: 'v2', service, caBundle: undefined, insecureSkipTLSVerify: true };
    assert.equal((await world.aggregate(group, spec)).reason, 'Passed');
    // There nobody listens.
    expect(200, await world.api.patch('merge', `/api/v1/namespaces/infra/services/${name}`, { spec: { externalName: '127.0.0.2' } }));
    const lost = await world.get(`/apis/${group}/v2/things`);
    assert.deepEqual([lost.status, lost.headers['content-type']], [503, 'text/plain; charset=utf-8']);
  });

  test('a server is checked while its APIService is there, at once when that changes, and not for a change of anything else', async () => {
    const [group, other] = [world.group(), world.group()];
    const checks = (): number => world.other.asked.filter(({ line }) => line === `GET /apis/${group}/v1`).length;
    /** Whatever was begun before has reached the other server, when this has. */
    const settled = async (version: string): Promise<void> => void (await world.aggregate(other, { version }));
    const path = `${world.services}/v1.${group}`;
    await world.aggregate(group);
    await settled('v1');
    const first = checks();
    assert.ok(first >= 1 && first <= 3, `${first} attempts`);
    // It asks as itself, and shows nobody else's credentials.
    const { headers, caller } = world.other.asked.find(({ line }) => line === `GET /apis/${group}/v1`) ?? assert.fail('nobody was asked');
    assert.deepEqual([headers['x-remote-user'], headers['x-remote-group'], headers.authorization], ['system:kube-aggregator', 'system:masters', undefined]);
    assert.deepEqual([headers.host, caller], ['backend.infra.svc', 'front-proxy']);
    expect(200, await world.api.patch('merge', path, { metadata: { labels: { a: 'b' } } }));
    await settled('v2');
    assert.equal(checks(), first);
    expect(200, await world.api.patch('merge', path, { spec: { caBundle: Buffer.from((await newAuthority()).cert).toString('base64') } }));
    await world.verdict(`v1.${group}`, 'FailedDiscoveryCheck');
    expect(200, await world.api.patch('merge', path, { spec: { caBundle: world.other.caBundle } }));
    await world.verdict(`v1.${group}`, 'Passed');
    const again = checks();
    assert.ok(again > first);
    expect(200, await world.delete(path));
    world.clock.turn(60_000);
    await settled('v3');
    assert.equal(checks(), again);
  });

  test('the condition says what stands in the way', async () => {
    const group = world.group();
    const at = (name: string, port = 443): object => ({ service: { namespace: 'infra', name, port } });
    assert.deepEqual(pick(await world.aggregate(group, { version: 'v1', ...at('nobody') })), ['False', 'ServiceNotFound', 'service/nobody in "infra" is not present']);
    await world.service('empty', { ports: [{ name: 'https', port: 443 }] });
    assert.deepEqual(pick(await world.aggregate(group, { version: 'v2', ...at('empty', 80) })), ['False', 'ServicePortError', 'service/empty in "infra" is not listening on port 80']);
    assert.deepEqual(pick(await world.aggregate(group, { version: 'v3', ...at('empty') })), ['False', 'EndpointsNotFound', 'cannot find endpoints for service/empty in "infra"']);
    expect(201, await world.post('/api/v1/namespaces/infra/endpoints', { metadata: { name: 'empty' }, subsets: [] }));
    const missing = await world.verdict(`v3.${group}`, 'MissingEndpoints');
    assert.deepEqual(pick(missing), ['False', 'MissingEndpoints', 'endpoints for service/empty in "infra" have no addresses with port name "https"']);
    await world.service('idle', { type: 'NodePort', ports: [{ name: 'https', port: 443 }] });
    const notReady = { notReadyAddresses: [{ ip: '10.1.0.1' }], ports: [{ name: 'https', port: 8443 }] };
    expect(201, await world.post('/api/v1/namespaces/infra/endpoints', { metadata: { name: 'idle' }, subsets: [notReady] }));
    const idle = await world.aggregate(group, { version: 'v4', ...at('idle') });
    assert.deepEqual(pick(idle), ['False', 'FailedDiscoveryCheck', 'failing or missing response: no endpoints available for service "idle"']);
    const answer = await world.get(`/apis/${group}/v3/things`);
    assert.deepEqual([answer.status, answer.text, answer.headers['content-type'], answer.headers['x-content-type-options']], [503, unavailable, 'text/plain; charset=utf-8', 'nosniff']);
  });

  test('a server that fails is noticed, and so is that it is back', async () => {
    const group = world.group();
    world.other.status = 500;
    const failed = await world.aggregate(group);
    world.other.status = 200;
    assert.deepEqual(pick(failed).slice(0, 2), ['False', 'FailedDiscoveryCheck']);
    assert.match(failed.message, new RegExp(`^failing or missing response from https://localhost:${world.other.port}/apis/${group}/v1: bad status from .*: 500$`));
    assert.equal((await world.get(`/apis/${group}/v1/things`)).text, unavailable);
    world.clock.turn(5_000);
    const back = await world.verdict(`v1.${group}`, 'Passed');
    assert.ok(Date.parse(back.lastTransitionTime) >= Date.parse(failed.lastTransitionTime) + 4_000);
    expect(201, await world.get(`/apis/${group}/v1/things`));
    world.other.status = 404;
    world.clock.turn(30_000);
    await world.verdict(`v1.${group}`, 'FailedDiscoveryCheck');
    world.other.status = 200;
  });

  test('metrics show which APIs cannot be had, and how often each was lost', async () => {
    const group = world.group();
    const name = `v1.${group}`;
    const shown = async (): Promise<readonly string[]> =>
      (await world.get('/metrics')).text.split('\n').filter((line) => line.startsWith('aggregator_unavailable_') && (line.includes(group) || line.includes('"v1."')));
    // What this server serves itself is there from the start.
    const own = 'aggregator_unavailable_apiservice{name="v1."} 0';
    await world.aggregate(group);
    assert.deepEqual(await shown(), [own, `aggregator_unavailable_apiservice{name="${name}"} 0`]);
    world.other.status = 500;
    world.clock.turn(30_000);
    await world.verdict(name, 'FailedDiscoveryCheck');
    const lost = `aggregator_unavailable_apiservice_total{name="${name}",reason="FailedDiscoveryCheck"} 1`;
    assert.deepEqual(await shown(), [own, `aggregator_unavailable_apiservice{name="${name}"} 1`, lost]);
    world.other.status = 200;
    expect(200, await world.delete(`${world.services}/${name}`));
    assert.deepEqual(await shown(), [own, lost]);
  });

  test('a certificate is verified by the bundle and for the name of the service, unless nobody wants that', async () => {
    const group = world.group();
    const stranger = Buffer.from((await newAuthority()).cert).toString('base64');
    assert.match((await world.aggregate(group, { version: 'v1', caBundle: stranger })).message, /v1: Get "https:\/\/localhost:\d+\/apis\/\S+\/v1": x509: certificate signed by unknown authority/);
    assert.match((await world.aggregate(group, { version: 'v2', caBundle: undefined })).message, /x509: certificate signed by unknown authority/);
    assert.equal((await world.aggregate(group, { version: 'v3', caBundle: undefined, insecureSkipTLSVerify: true })).reason, 'Passed');
    assert.match((await world.aggregate(group, { version: 'v4', caBundle: 'YQ==' })).message, /spec\.caBundle of the APIService holds no PEM/);
    await world.service('other', { type: 'ExternalName', externalName: 'localhost' });
    const service = { namespace: 'infra', name: 'other', port: world.other.port };
    assert.match((await world.aggregate(group, { version: 'v5', service })).message, /x509: certificate is valid for backend\.infra\.svc, not other\.infra\.svc/);
  });

  test('what serves APIServices cannot be taken over', async () => {
    const group = world.brand.group('apiregistration');
    const body = world.apiService(group) as { metadata: { name: string } };
    expect(201, await world.post(world.services, body));
    await world.verdict(body.metadata.name, 'Passed');
    assert.equal((await world.get(world.services)).body.kind, 'APIServiceList');
    expect(200, await world.delete(`${world.services}/${body.metadata.name}`));
  });

  test('a group that other servers serve no longer is served here again', async () => {
    const path = `/apis/${world.brand.group('node')}/v1`;
    const name = `v1.${world.brand.group('node')}`;
    const { spec } = world.apiService('x') as { spec: { service: object; caBundle: string } };
    expect(200, await world.api.patch('merge', `${world.services}/${name}`, { spec: { service: spec.service, caBundle: spec.caBundle } }));
    await world.verdict(name, 'Passed');
    assert.deepEqual((await world.get(path)).body.resources, []);
    expect(200, await world.api.patch('merge', `${world.services}/${name}`, { spec: { service: null, caBundle: null } }));
    assert.equal((await world.verdict(name, 'Local')).status, 'True');
    assert.equal((await world.get(path)).body.resources[0].name, 'runtimeclasses');
  });

  test('groups of other servers are listed where their priority puts them, and no longer when they are gone', async () => {
    const [first, second] = [world.group(), world.group()];
    await world.aggregate(first, { groupPriorityMinimum: 17_550 });
    await world.aggregate(second, { version: 'v1', versionPriority: 5, groupPriorityMinimum: 50 });
    await world.aggregate(second, { version: 'v2beta1', versionPriority: 7, groupPriorityMinimum: 50 });
    const names = (await world.get('/apis')).body.groups.map(({ name }: { name: string }) => name);
    assert.equal(names[names.indexOf('autoscaling') - 1], first);
    assert.equal(names.at(-1), second);
    const document = (await world.get(`/apis/${second}`)).body;
    assert.deepEqual(document.versions.map(({ version }: { version: string }) => version), ['v2beta1', 'v1']);
    assert.equal(document.preferredVersion.version, 'v2beta1');
    assert.equal((await world.get(`/apis/${second}/v1`)).body.kind, 'APIResourceList');
    expect(200, await world.delete(`${world.services}/v1.${second}`));
    expect(200, await world.delete(`${world.services}/v2beta1.${second}`));
    assert.equal((await world.get(`/apis/${second}`)).status, 404);
    assert.equal((await world.get(`/apis/${second}/v1/things`)).status, 404);
  });

  test('the OpenAPI document holds what the other server says about the group, with names of its own where they clash', async () => {
    const group = world.group();
    const pod = 'io.k8s.api.core.v1.Pod';
    const own = (await world.get('/openapi/v2')).body;
    const operation = (name: string): object => ({ get: { responses: { 200: { description: 'OK', schema: { $ref: `#/definitions/${name}` } } } } });
    world.other.openapi = {
      paths: { [`/apis/${group}/v1/things`]: operation('com.example.Thing'), '/api/v1/pods': operation('com.example.Thing'), '/apis/else/v1/x': operation('com.example.Unused') },
      definitions: {
        'com.example.Thing': { type: 'object', properties: { pod: { $ref: `#/definitions/${pod}` }, again: { $ref: '#/definitions/com.example.Thing' } } },
        'com.example.Unused': { type: 'object' },
        [pod]: { type: 'object', description: 'another one' },
      },
    };
    await world.aggregate(group);
    const merged = (await world.get('/openapi/v2')).body;
    assert.deepEqual(merged.paths['/api/v1/pods'], own.paths['/api/v1/pods']);
    assert.deepEqual(merged.definitions[pod], own.definitions[pod]);
    assert.deepEqual(Object.keys(merged.paths).filter((path) => !(path in own.paths)), [`/apis/${group}/v1/things`]);
    assert.deepEqual(Object.keys(merged.definitions).filter((name) => !(name in own.definitions)).sort(), ['com.example.Thing', `${pod}_v2`]);
    assert.equal(merged.definitions['com.example.Thing'].properties.pod.$ref, `#/definitions/${pod}_v2`);
    const asked = (): number => world.other.asked.filter(({ line }) => line === 'GET /openapi/v2').length;
    const before = asked();
    assert.deepEqual((await world.get('/openapi/v2')).body, merged);
    assert.equal(asked(), before);
    world.clock.turn(60_000);
    const { headers } = await world.get('/openapi/v2');
    assert.equal(world.other.asked.findLast(({ line }) => line === 'GET /openapi/v2')?.headers['if-none-match'], world.other.openapiEtag);
    expect(304, await world.get('/openapi/v2', { 'if-none-match': headers['etag'] ?? '' }));
    const apiService = `${world.services}/v1.${group}`;
    expect(200, await world.api.patch('merge', apiService, { metadata: { annotations: { noted: 'yes' } } }));
    world.other.openapi = { paths: { [`/apis/${group}/v1/parts`]: operation('com.example.Thing') }, definitions: { 'com.example.Thing': { type: 'object' } } };
    assert.deepEqual((await world.get('/openapi/v2')).body, merged, 'nothing says that another server is meant');
    expect(200, await world.api.patch('merge', apiService, { spec: { versionPriority: 11 } }));
    const anew = (await world.get('/openapi/v2')).body;
    assert.deepEqual(Object.keys(anew.paths).filter((path) => !(path in own.paths)), [`/apis/${group}/v1/parts`]);
    expect(200, await world.delete(apiService));
    assert.deepEqual(Object.keys((await world.get('/openapi/v2')).body.paths), Object.keys(own.paths));
  });

  test('documents that make no sense, or do not end where one should, are left out', async () => {
    const things = (group: string): string => `/apis/${group}/v1/things`;
    const fine = { get: { responses: { 200: { description: 'OK' } } } };
    const senseless = (group: string): object => ({ paths: { [things(group)]: { get: { parameters: 5 } } }, definitions: 'none' });
    const endless = (group: string): object => ({ paths: { [things(group)]: fine }, filling: 'x'.repeat(16 * 1024 * 1024) });
    for (const documentOf of [senseless, endless]) {
      const group = world.group();
      world.other.openapi = documentOf(group);
      await world.aggregate(group);
      const { paths } = (await world.get('/openapi/v2')).body;
      assert.equal(things(group) in paths, false);
      assert.ok('/api/v1/pods' in paths);
    }
  });
});

interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}
const pick = ({ status, reason, message }: Condition): readonly string[] => [status, reason, message];

function upgrade({ api }: AggregationWorld, path: string, more: Readonly<Record<string, string>>): Promise<{ readonly answer: IncomingMessage; readonly socket: Socket }> {
  const headers = { connection: 'Upgrade', upgrade: 'websocket', authorization: `Bearer ${TEST_TOKENS.admin}`, ...more };
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(`${api.server.url}${path}`, { method: 'POST', headers, agent: false });
    outgoing.on('response', (answer) => reject(new Error(`answered ${answer.statusCode} and went on`)));
    outgoing.on('upgrade', (answer, socket, early) => {
      if (early.length > 0) socket.unshift(early);
      resolve({ answer, socket: socket as Socket });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

async function read(socket: Socket, length: number): Promise<string> {
  let text = '';
  while (text.length < length) text += String(socket.read() ?? ((await once(socket, 'readable')), ''));
  return text;
}
