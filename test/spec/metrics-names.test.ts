// Every metric of kube-apiserver 1.23.17 is shown with its labels, or there is a reason why it is not.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '#testing';

const recorded = JSON.parse(readFileSync(path.resolve('test/fixtures/kube-apiserver/metrics.json'), 'utf8')) as Readonly<Record<string, { readonly type: string; readonly labels: readonly string[] }>>;

const ALPHA = 'sampled inside of kube-apiserver; figures of requests and seats at scrapes say the same';
const CACHE = 'counts steps inside of the cache of kube-apiserver, which this one does not take';
const GRPC = 'of the client of etcd; etcd_request_duration_seconds is there for every engine';
const KEYS = 'of key services outside, which this release does not call';

/** Names, or beginnings of them with a star, that do not apply, and why. */
const ABSENT: readonly (readonly [names: string, why: string])[] = [
  ['aggregator_openapi_v2_regeneration_*', 'the document is put together when somebody asks for it'],
  ['apiserver_admission_step_admission_duration_seconds_summary', 'quantiles are made from the histogram of the same name'],
  ['apiserver_cache_list_*', CACHE],
  ['apiserver_storage_list_*', CACHE],
  ['watch_cache_capacity', CACHE],
  ['apiserver_envelope_encryption_*', KEYS],
  ['apiserver_storage_data_key_*', KEYS],
  ['apiserver_storage_envelope_*', KEYS],
  ['apiserver_flowcontrol_current_r', ALPHA],
  ['apiserver_flowcontrol_priority_level_*', ALPHA],
  ['apiserver_flowcontrol_read_vs_write_*', ALPHA],
  ['apiserver_flowcontrol_request_execution_seconds', 'apiserver_request_duration_seconds has the time of requests'],
  ['apiserver_kube_aggregator_x509_missing_san_total', 'a certificate without names of hosts is refused and not counted'],
  ['apiserver_webhooks_x509_missing_san_total', 'a certificate without names of hosts is refused and not counted'],
  ['apiserver_request_filter_duration_seconds', 'the stages of a request take no time of their own; see docs/life-of-a-request.md'],
  ['apiserver_selfrequest_total', 'rest_client_requests_total counts what the server asks of itself'],
  ['apiserver_tls_handshake_errors_total', 'connections that end before their first request are not kept track of'],
  ['authentication_token_cache_*', CACHE],
  ['etcd_db_total_size_in_bytes', 'engines measure themselves in their own ways; the disk says more'],
  ['etcd_lease_object_counts', 'leases of etcd are not shared by objects here'],
  ['get_token_*', 'of clouds'],
  ['grpc_client_*', GRPC],
  ['kube_apiserver_clusterip_allocator_*', 'shown for blocks of addresses by kube-apiserver alone; the objects of services say the same'],
  ['rest_client_exec_plugin_*', 'the server runs no programs for credentials'],
];

const fits = (name: string, pattern: string): boolean => (pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern);
const reasonFor = (name: string): string | undefined => ABSENT.find(([pattern]) => fits(name, pattern))?.[1];

let server: TestServer;
let shown: string;
before(async () => {
  server = await startTestServer({ dialect: 'kubernetes' });
  for (const path of ['/api/v1/pods', '/apis/policy/v1beta1/poddisruptionbudgets', '/metrics']) await server.request('GET', path);
  // The first account that a controller makes shows that controllers are at work.
  const accounts = await server.watch('/api/v1/serviceaccounts?watch=1');
  await accounts.next(1);
  await accounts.stop();
  await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
  const watch = await server.watch('/api/v1/namespaces?watch=1');
  await watch.next(1);
  await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'm' } });
  await watch.next(1);
  shown = (await server.request('GET', '/metrics')).text;
  await watch.stop();
});
after(() => server.close());

/** The labels of the first series; undefined: there is none. */
function labelsOf(name: string, type: string): readonly string[] | undefined {
  const series = new RegExp(`^${name}${type === 'histogram' ? '_bucket' : ''}(?:\\{(.*)\\})? `, 'm').exec(shown);
  if (series === null) return undefined;
  return [...(series[1] ?? '').matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, label = '']) => label).filter((label) => label !== 'le').sort();
}

/** Shown only once something has happened that is rare. */
const RARE: ReadonlySet<string> = new Set(['workqueue_retries_total']);

test('every metric is there with its type and labels, or has a reason not to be', () => {
  const wrong: string[] = [];
  for (const [name, { type, labels }] of Object.entries(recorded)) {
    if (RARE.has(name)) continue;
    const found = labelsOf(name, type);
    const reason = reasonFor(name);
    if (found === undefined && reason === undefined) wrong.push(`${name} is missing`);
    if (found !== undefined && reason !== undefined) wrong.push(`${name} is there, and said not to be`);
    // A label more is fine for dashboards.
    if (found !== undefined && labels.some((label) => !found.includes(label))) wrong.push(`${name} has the labels ${found.join(', ')}, not ${labels.join(', ')}`);
    if (found !== undefined && !shown.includes(`# TYPE ${name} ${type}\n`)) wrong.push(`${name} is no ${type}`);
  }
  assert.deepEqual(wrong, []);
});

test('every reason is one for a metric that there is', () => {
  assert.deepEqual(ABSENT.filter(([pattern]) => !Object.keys(recorded).some((name) => fits(name, pattern))).map(([pattern]) => pattern), []);
});

test('the dashboard names metrics and labels that are shown', () => {
  const text = readFileSync(path.resolve('docs/grafana/orch.json'), 'utf8');
  const expressions = [...text.matchAll(/"expr":\s*"((?:[^"\\]|\\.)*)"/g)].map(([, expression = '']) => expression.replaceAll('\\"', '"'));
  assert.ok(expressions.length > 5);
  const names = new Set(expressions.flatMap((expression) => expression.match(/\b(?:apiserver|etcd|process|nodejs|authentication|workqueue|rest_client)_\w+/g) ?? []));
  const RARELY = /webhook|rejected|lost|failed|errors?_total|retries/;
  const missing = [...names].filter((name) => !shown.includes(`# TYPE ${name.replace(/_(?:bucket|sum|count)$/, '')} `) && !shown.includes(`# TYPE ${name} `) && !RARELY.test(name));
  assert.deepEqual(missing, []);
});

test('metrics that an operator does not want are not shown, and values of labels only where they are allowed', async () => {
  const allowedLabels = new Map([['apiserver_request_total,verb', ['GET']]]);
  const quiet = await startTestServer({ controllers: 'none', metrics: { disabled: ['apiserver_response_sizes'], allowedLabels } });
  for (const path of ['/api/v1/pods', '/api/v1/namespaces/default']) await quiet.request('GET', path);
  const { text } = await quiet.request('GET', '/metrics');
  assert.doesNotMatch(text, /apiserver_response_sizes/);
  assert.deepEqual([...new Set([...text.matchAll(/^apiserver_request_total\{.*verb="(\w+)"/gm)].map(([, verb]) => verb))].sort(), ['GET', 'unexpected']);
  await quiet.close();
});
