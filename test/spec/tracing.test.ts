// Traces: off by default, sent to a collector where that is asked for, and carried on to webhooks and back ends.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, test } from 'node:test';
import { DIALECTS } from '#api';
import { readTracing } from '#server';
import { allowing } from '../support/webhook-server.ts';
import { WebhookWorld } from '../support/webhook-world.ts';

interface Spanned {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => (server.close(), server.closeAllConnections())));

/** Keeps the spans that it is sent. */
async function collector(): Promise<{ readonly endpoint: string; readonly spans: Spanned[] }> {
  const spans: Spanned[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then((chunks: Buffer[]) => {
      assert.deepEqual([request.method, request.url, request.headers['traceparent']], ['POST', '/v1/traces', undefined]);
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly Spanned[] }[] }[] };
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)));
      response.end('{}');
    });
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans };
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';

for (const dialect of DIALECTS) {
  test(`a request of a trace is a span of it, and webhooks are told (${dialect})`, async () => {
    const { endpoint, spans } = await collector();
    const world = new WebhookWorld(dialect);
    await world.start({ tracing: { endpoint, samplingRatePerMillion: 0 } });
    const namespace = await world.namespace();
    await world.register('Validating', [world.webhook(namespace, allowing())]);
    const maps = `/api/v1/namespaces/${namespace}/configmaps`;
    for (const flags of ['01', '00']) await world.request('POST', `${maps}?fieldManager=secret`, { metadata: { name: `m${flags}` } }, { traceparent: `00-${TRACE}-${PARENT}-${flags}` });
    const told = world.hooks.heard.map(({ headers }) => String(headers['traceparent']));
    await world.end();
    assert.equal(spans.length, 1, 'what is not sampled is not sent');
    const [span] = spans;
    assert.deepEqual([span?.traceId, span?.parentSpanId, span?.name], [TRACE, PARENT, 'create configmaps']);
    assert.deepEqual(span?.attributes.slice(0, 3), [
      { key: 'http.method', value: { stringValue: 'POST' } },
      { key: 'http.target', value: { stringValue: maps } },
      { key: 'http.status_code', value: { intValue: '201' } },
    ]);
    assert.equal(told[0], `00-${TRACE}-${span?.spanId}-01`);
    assert.match(told[1] ?? '', new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
  });

  test(`traces begin here as often as is asked for; without a setting there are none, and no header (${dialect})`, async () => {
    const { endpoint, spans } = await collector();
    for (const tracing of [{ endpoint, samplingRatePerMillion: 1_000_000 }, undefined]) {
      const world = new WebhookWorld(dialect);
      await world.start(tracing === undefined ? {} : { tracing });
      const namespace = await world.namespace();
      await world.register('Validating', [world.webhook(namespace, allowing())]);
      await world.createMap(namespace);
      await world.end();
      const [heard] = world.hooks.heard;
      assert.equal(heard?.headers['traceparent'] !== undefined, tracing !== undefined);
    }
    assert.ok(spans.some(({ name }) => name === 'create configmaps'));
    assert.ok(spans.every(({ traceId, parentSpanId }) => /^[0-9a-f]{32}$/.test(traceId) && parentSpanId === undefined));
  });
}

test('a collector that is away is complained about once, and holds nobody up', async () => {
  const lines: string[] = [];
  const note = (message: string): void => void lines.push(message);
  const world = new WebhookWorld('orch');
  await world.start({ tracing: { endpoint: 'http://127.0.0.1:1', samplingRatePerMillion: 1_000_000 }, log: { info: note, warn: note, error: note } });
  await world.namespace();
  await world.end();
  assert.deepEqual(lines.filter((line) => line.includes('traces')), ['traces cannot be delivered']);
});

test('the file says where and how many, or what is wrong with it', () => {
  const file = (more: object): string => JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1alpha1', kind: 'TracingConfiguration', ...more });
  assert.deepEqual(readTracing(file({})), { endpoint: 'http://localhost:4318', samplingRatePerMillion: 0 });
  assert.deepEqual(readTracing(file({ endpoint: 'collector:4318', samplingRatePerMillion: 1_000_000 })), { endpoint: 'http://collector:4318', samplingRatePerMillion: 1_000_000 });
  assert.throws(() => readTracing(file({ samplingRatePerMillion: 1_000_001 })), /samplingRatePerMillion is a whole number from 0 to 1000000/);
  assert.throws(() => readTracing(file({ samplingRatePerMillion: -1 })), /samplingRatePerMillion/);
  assert.throws(() => readTracing(file({ endpoint: 'ftp://x' })), /is no address/);
  assert.throws(() => readTracing(file({ rate: 1 })), /there is no field "rate"/);
  for (const empty of ['', '\n']) assert.deepEqual(readTracing(empty), readTracing(file({})));
  assert.throws(() => readTracing('{}'), /TracingConfiguration of/);
});
