// What `/metrics` shows: names and labels that dashboards know, bounded whatever clients do.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import { startTestServer, TEST_TOKENS, type TestServer } from '#testing';
import { established } from '../support/definitions.ts';
import { createGate } from './gate.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const start = (dialect: (typeof DIALECTS)[number] = 'kubernetes'): Promise<TestServer> => startTestServer({ dialect, controllers: 'none', aggregateRoles: false });

/** The value of one series, by its text up to the value. */
async function figure(server: TestServer, series: string): Promise<number | undefined> {
  const { text } = await server.request('GET', '/metrics');
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const total = (code: number, verb: string, scope: string, more: { readonly resource?: string; readonly dryRun?: string } = {}): string =>
  `apiserver_request_total{code="${code}",component="apiserver",dry_run="${more.dryRun ?? ''}",group="",resource="${more.resource ?? 'configmaps'}",scope="${scope}",subresource="",verb="${verb}",version="v1"}`;

for (const dialect of DIALECTS) {
  describe(dialect, () => {
    test('R6-32 who may read them sees them as text, others are refused', async () => {
      const server = await start(dialect);
      const answer = await server.request('GET', '/metrics');
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
      const refused = await server.request('GET', '/metrics', undefined, { authorization: `Bearer ${TEST_TOKENS.alice}` });
      assert.equal(refused.status, 403);
      assert.match(answer.text, new RegExp(`^${dialect === 'orch' ? 'orch' : 'kubernetes'}_build_info\\{.*minor="23".*\\} 1$`, 'm'));
      await server.close();
    });

    test('R6-24 R6-25 R6-26 R6-27 R6-28 R6-29 RX-25 a request to an API that will go sets its gauge', async () => {
      const server = await start(dialect);
      const series = 'apiserver_requested_deprecated_apis{group="policy",version="v1beta1",resource="poddisruptionbudgets",subresource="",removed_release="1.25"}';
      assert.equal(await figure(server, series), undefined);
      const answer = await server.request('GET', '/apis/policy/v1beta1/poddisruptionbudgets');
      await server.request('GET', '/apis/policy/v1beta1/poddisruptionbudgets');
      assert.match(answer.headers['warning'] ?? '', /^299 - "policy\/v1beta1 PodDisruptionBudget is deprecated/);
      assert.equal(await figure(server, series), 1);
      assert.equal(brandOf(dialect).group('policy'), 'policy');
      await server.close();
    });
  });
}

test('requests are counted by what they were about and how they ended', async () => {
  const server = await start();
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } };
  await server.request('POST', `${MAPS}?dryRun=All`, map);
  await server.request('POST', MAPS, map);
  await server.request('POST', MAPS, map);
  await server.request('GET', `${MAPS}/m`);
  await server.request('GET', MAPS);
  await server.request('GET', '/api/v1/configmaps');
  await server.patch('merge', `${MAPS}/m`, { data: { a: 'b' } });
  await server.patch('apply', `${MAPS}/m?fieldManager=t`, map);
  await server.request('GET', `${MAPS}?fieldSelector=metadata.name=m`);
  await server.request('GET', '/api/v1/configmaps?fieldSelector=metadata.name=m');
  await server.request('DELETE', `${MAPS}?dryRun=All`);
  await server.request('DELETE', `${MAPS}/m?dryRun=Some`);
  await server.request('GET', `${MAPS.replace('configmaps', 'pods')}/p/log`);
  await server.request('GET', MAPS, undefined, { authorization: 'Bearer wrong' });
  for (const [series, count] of [
    [total(200, 'DELETE', 'namespace', { dryRun: 'All' }), 1],
    [total(422, 'DELETE', 'resource', { dryRun: 'invalid' }), 1],
    [total(404, 'GET', 'resource', { resource: 'pods' }).replace('subresource=""', 'subresource="log"'), 1],
    [total(201, 'POST', 'resource', { dryRun: 'All' }), 1],
    [total(201, 'POST', 'resource'), 1],
    [total(409, 'POST', 'resource'), 1],
    [total(200, 'GET', 'resource'), 1],
    [total(200, 'LIST', 'namespace'), 2],
    [total(401, 'LIST', 'namespace'), 1],
    [total(200, 'LIST', 'cluster'), 2],
    [total(200, 'PATCH', 'resource'), 1],
    [total(200, 'APPLY', 'resource'), 1],
    // Its credentials were wrong; without any it would have been a failure.
    ['authentication_attempts{result="error"}', 1],
  ] as const) {
    assert.equal(await figure(server, series), count, series);
  }
  const stored = (await server.request('GET', '/api/v1/configmaps')).body as { readonly items: readonly unknown[] };
  assert.equal(await figure(server, 'apiserver_storage_objects{resource="configmaps"}'), stored.items.length);
  const { text } = await server.request('GET', '/metrics');
  assert.match(text, /^apiserver_request_duration_seconds_bucket\{component="apiserver",dry_run="",group="",resource="configmaps",scope="resource",subresource="",verb="GET",version="v1",le="\+Inf"\} 1$/m);
  assert.match(text, /^etcd_request_duration_seconds_count\{operation="create",type="configmaps"\} [1-9]\d*$/m);
  assert.match(text, /^apiserver_admission_step_admission_duration_seconds_count\{operation="CREATE",rejected="false",type="admit"\} [1-9]\d*$/m);
  assert.match(text, /^apiserver_flowcontrol_dispatched_requests_total\{flow_schema="exempt",priority_level="exempt"\} [1-9]\d*$/m);
  for (const gauge of ['current_inqueue_requests', 'current_executing_requests', 'request_concurrency_in_use']) {
    assert.match(text, new RegExp(`^apiserver_flowcontrol_${gauge}\\{flow_schema="global-default",priority_level="global-default"\\} 0$`, 'm'));
    assert.doesNotMatch(text, new RegExp(`^apiserver_flowcontrol_${gauge}\\{.*"exempt"`, 'm'), 'what is exempt is not counted');
  }
  assert.doesNotMatch(text, /^apiserver_flowcontrol_request_concurrency_limit\{.*"exempt"/m);
  await server.close();
});

test('credentials that are refused are an error of authentication, and none at all a failure where nobody may be anonymous', async () => {
  await using server = await startTestServer({ controllers: 'none', anonymous: false });
  for (const authorization of ['', 'Bearer wrong', 'Basic YTpi']) assert.equal((await server.request('GET', MAPS, undefined, { authorization })).status, 401);
  assert.deepEqual([await figure(server, 'authentication_attempts{result="failure"}'), await figure(server, 'authentication_attempts{result="error"}')], [2, 1]);
});

test('requests that are given up to protect the server, for want of room or of time, are counted', async () => {
  const gate = createGate();
  const server = await startTestServer({ dialect: 'kubernetes', controllers: 'none', aggregateRoles: false, admission: { plugins: [gate.plugin] }, flowControl: { isFair: false, maxChanging: 1 } });
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } };
  const late = server.request('POST', `${MAPS}?timeout=10ms`, map);
  await gate.arrived;
  assert.equal((await late).status, 504);
  // Its work goes on, and so does its place.
  assert.equal((await server.request('POST', MAPS, map, { authorization: `Bearer ${TEST_TOKENS.alice}` })).status, 429);
  for (const code of [429, 504]) {
    const series = `apiserver_request_terminations_total{code="${code}",component="apiserver",group="",resource="configmaps",scope="resource",subresource="",verb="POST",version="v1"}`;
    assert.equal(await figure(server, series), 1, series);
  }
  gate.open();
  await server.close();
});

test('calls of webhooks are counted: those that keep a request away, and those that are passed over', async () => {
  const server = await start();
  // Nobody answers at port 1.
  const hook = (name: string, failurePolicy: string, resource: string) => {
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: [resource] }];
    const webhooks = [{ name, failurePolicy, sideEffects: 'None', admissionReviewVersions: ['v1'], clientConfig: { url: 'https://127.0.0.1:1/' }, rules }];
    return { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration', metadata: { name }, webhooks };
  };
  const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  for (const configuration of [hook('strict.example.com', 'Fail', 'configmaps'), hook('mild.example.com', 'Ignore', 'secrets')]) {
    assert.equal((await server.request('POST', CONFIGURATIONS, configuration)).status, 201);
  }
  assert.equal((await server.request('POST', MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } })).status, 500);
  assert.equal((await server.request('POST', '/api/v1/namespaces/default/secrets', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } })).status, 201);
  for (const [series, count] of [
    ['apiserver_admission_webhook_admission_duration_seconds_count{name="strict.example.com",operation="CREATE",rejected="true",type="validating"}', 1],
    ['apiserver_admission_webhook_admission_duration_seconds_count{name="mild.example.com",operation="CREATE",rejected="false",type="validating"}', 1],
    ['apiserver_admission_webhook_rejection_count{error_type="calling_webhook_error",name="strict.example.com",operation="CREATE",rejection_code="400",type="validating"}', 1],
    ['apiserver_admission_webhook_fail_open_count{name="mild.example.com",type="validating"}', 1],
  ] as const) {
    assert.equal(await figure(server, series), count, series);
  }
  await server.close();
});

for (const [kind, plural] of [['ValidatingWebhookConfiguration', 'validatingwebhookconfigurations'], ['MutatingWebhookConfiguration', 'mutatingwebhookconfigurations']] as const) {
  test(`the time in which an answer waited for webhooks is left out of that of the server alone: ${kind}`, async () => {
    const server = await start();
    const sums = async (verb: string): Promise<readonly number[]> => {
      const where = `group="",resource="configmaps",scope="resource",subresource="",verb="${verb}",version="v1"}`;
      const all = await figure(server, `apiserver_request_duration_seconds_sum{component="apiserver",dry_run="",${where}`);
      const own = await figure(server, `apiserver_request_slo_duration_seconds_sum{component="apiserver",${where}`);
      assert.ok(all !== undefined && own !== undefined && own >= 0);
      return [all, own];
    };
    const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
    // Nobody answers at port 1.
    const webhooks = [{ name: 'a.example.com', failurePolicy: 'Ignore', sideEffects: 'None', admissionReviewVersions: ['v1'], clientConfig: { url: 'https://127.0.0.1:1/' }, rules }];
    const configuration = { apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: { name: 'a' }, webhooks };
    assert.equal((await server.request('POST', `/apis/admissionregistration.k8s.io/v1/${plural}`, configuration)).status, 201);
    assert.equal((await server.request('POST', MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } })).status, 201);
    assert.equal((await server.request('GET', `${MAPS}/m`)).status, 200);
    const [waited = 0, worked = 0] = await sums('POST');
    assert.ok(worked < waited, `${worked} of ${waited}`);
    const [read, readAlone] = await sums('GET');
    assert.equal(readAlone, read);
    await server.close();
  });
}

test('what PodSecurity decides is counted by standard, mode and outcome, and requests that are exempt', async () => {
  const config = { PodSecurity: { apiVersion: 'pod-security.admission.config.orch.io/v1beta1', kind: 'PodSecurityConfiguration', exemptions: { runtimeClasses: ['vm'] } } };
  const server = await startTestServer({ dialect: 'kubernetes', controllers: 'none', aggregateRoles: false, admission: { disable: ['ServiceAccount', 'RuntimeClass'], config } });
  const evaluations = (decision: string, level: string, version: string, mode: string, resource = 'pod'): string =>
    `pod_security_evaluations_total{decision="${decision}",policy_level="${level}",policy_version="${version}",mode="${mode}",request_operation="create",resource="${resource}",subresource=""}`;
  const exempt = 'pod_security_exemptions_total{request_operation="create",resource="pod",subresource=""}';
  assert.equal(await figure(server, evaluations('allow', 'privileged', 'latest', 'enforce')), 0);
  assert.equal(await figure(server, exempt), 0);
  const key = 'pod-security.kubernetes.io/';
  const labels = { [`${key}enforce`]: 'baseline', [`${key}enforce-version`]: 'v1.22', [`${key}audit`]: 'restricted', [`${key}warn`]: 'restricted', [`${key}warn-version`]: 'v1.99' };
  assert.equal((await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'held', labels } })).status, 201);
  const template = { spec: { containers: [{ name: 'c', image: 'i' }] } };
  const create = async (namespace: string, more: object = {}): Promise<number> =>
    (await server.request('POST', `/api/v1/namespaces/${namespace}/pods`, { metadata: { generateName: 'p-' }, spec: { ...template.spec, ...more } })).status;
  assert.deepEqual([await create('default'), await create('held'), await create('held', { hostPID: true }), await create('held', { hostPID: true, runtimeClassName: 'vm' })], [201, 201, 403, 201]);
  const templates = { metadata: { name: 't' }, template: { metadata: { labels: { a: 'b' } }, ...template } };
  assert.equal((await server.request('POST', '/api/v1/namespaces/held/podtemplates', templates)).status, 201);
  for (const [series, count] of [
    [evaluations('allow', 'privileged', 'latest', 'enforce'), 1],
    [evaluations('allow', 'baseline', 'v1.22', 'enforce'), 1],
    [evaluations('deny', 'baseline', 'v1.22', 'enforce'), 1],
    [evaluations('deny', 'restricted', 'latest', 'audit'), 2],
    [evaluations('deny', 'restricted', 'future', 'warn'), 1],
    [evaluations('deny', 'restricted', 'future', 'warn', 'controller'), 1],
    [evaluations('allow', 'baseline', 'v1.22', 'enforce', 'controller'), undefined],
    [exempt, 1],
  ] as const) {
    assert.equal(await figure(server, series), count, series);
  }
  await server.close();
});

test('a watch is counted while it is open, and what it is sent', async () => {
  const server = await start();
  const watchers = 'apiserver_registered_watchers{group="",kind="ConfigMap",version="v1"}';
  const watch = await server.watch(`${MAPS}?watch=1`);
  assert.equal(await figure(server, watchers), 1);
  await server.request('POST', MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } });
  await watch.next(1);
  assert.equal(await figure(server, 'apiserver_watch_events_total{group="",kind="ConfigMap",version="v1"}'), 1);
  await watch.stop();
  assert.equal(await figure(server, watchers), 0);
  await server.close();
});

test('whatever stands in paths, no series come of it', async () => {
  const server = await start();
  const countSeries = async (): Promise<number> => (await server.request('GET', '/metrics')).text.split('\n').filter((line) => line.startsWith('apiserver_request_total')).length;
  const ask = async (n: number): Promise<void> => {
    for (const path of [`/x${n}`, `/apis/g${n}/v1/things`, `/api/v1/namespaces/n${n}/pods/p${n}/sub${n}`, `/api/v${n}/pods`, `${MAPS}/m${n}`]) {
      await server.request('GET', path);
      await server.request(`M${n}`, path);
    }
  };
  await ask(1);
  await countSeries();
  const before = await countSeries();
  for (let n = 10; n < 40; n++) await ask(n);
  assert.equal(await countSeries(), before);
  assert.doesNotMatch((await server.request('GET', '/metrics')).text, /[nxgpm]3\d/);
  await server.close();
});

test('what is served no more is shown no more, and all else counts on', async () => {
  const allowedLabels = new Map([['apiserver_request_slo_duration_seconds,resource', ['configmaps']]]);
  const server = await startTestServer({ dialect: 'kubernetes', controllers: 'none', aggregateRoles: false, metrics: { allowedLabels } });
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const shown = async (): Promise<readonly string[]> => (await server.request('GET', '/metrics')).text.split('\n').filter((line) => line.includes('gears') || line.includes('Gear'));
  const define = async (plural: string, kind: string): Promise<void> => {
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    await server.request('POST', definitions, { metadata: { name: `${plural}.example.com` }, spec: { group: 'example.com', scope: 'Cluster', names: { plural, kind }, versions } });
    await established(server, `${definitions}/${plural}.example.com`);
  };
  const make = async (): Promise<void> => {
    await define('gears', 'Gear');
    await server.request('POST', '/apis/example.com/v1/gears', { apiVersion: 'example.com/v1', kind: 'Gear', metadata: { name: 'g' } });
  };
  await make();
  const watch = await server.watch('/apis/example.com/v1/gears?watch=1&resourceVersion=0');
  await watch.next(1);
  for (const family of ['apiserver_request_total', 'apiserver_longrunning_requests', 'apiserver_watch_events_total', 'etcd_request_duration_seconds_bucket']) {
    assert.ok((await shown()).some((line) => line.startsWith(`${family}{`)), family);
  }
  await server.request('GET', MAPS);
  await server.request('GET', '/apis/nothing.example.com/v1/things');
  const definitionWatch = await server.watch(`${definitions}?watch=1`);
  await definitionWatch.next(1);
  await server.request('DELETE', `${definitions}/gears.example.com`);
  while ((await definitionWatch.next(1))[0].type !== 'DELETED');
  await definitionWatch.stop();
  await watch.stop();
  // What has seen this has seen that the other is gone.
  await define('cogs', 'Cog');
  assert.deepEqual((await shown()).filter((line) => !line.startsWith('apiserver_storage_objects{')), [], 'objects are counted once a minute');
  await server.request('GET', MAPS);
  const own = 'apiserver_request_slo_duration_seconds_count';
  assert.deepEqual(
    [
      await figure(server, total(200, 'LIST', 'namespace')),
      await figure(server, 'apiserver_request_total{code="404",component="apiserver",dry_run="",group="",resource="other",scope="",subresource="",verb="LIST",version=""}'),
      await figure(server, `${own}{component="apiserver",group="apiextensions.k8s.io",resource="unexpected",scope="resource",subresource="",verb="DELETE",version="v1"}`),
    ],
    [2, 1, 1],
  );
  await make();
  assert.equal(await figure(server, 'apiserver_request_total{code="201",component="apiserver",dry_run="",group="example.com",resource="gears",scope="resource",subresource="",verb="POST",version="v1"}'), 1);
  await server.close();
});

/** Names that others have chosen, and against which promtool has something. */
const GIVEN = /^(?:apiserver_admission_webhook_(?:rejection|fail_open)_count|authentication_attempts|authenticated_user_requests) /;
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

test('promtool finds nothing but names that are given', { skip: hasPromtool ? false : 'promtool is not installed (Debian package prometheus)' }, async () => {
  const server = await start();
  await server.request('GET', MAPS, undefined, { authorization: 'Bearer wrong' });
  await server.request('GET', '/metrics');
  const { text } = await server.request('GET', '/metrics');
  const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  const complaints = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !GIVEN.test(line));
  assert.deepEqual(complaints, []);
  await server.close();
});
