import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { deferred, silentLog, StillClock } from '#base';
import { SpanExporter, type Span } from './span-exporter.ts';

/** A collector that answers once it may, and how many spans each of its requests had. */
async function open(status = 200) {
  const batches: number[] = [];
  const heard = deferred<void>();
  const may = deferred<void>();
  const server = createServer((request: IncomingMessage, response: ServerResponse) => void answer(request, response)).listen(0, '127.0.0.1');
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece as string;
    const document = JSON.parse(text) as { readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly unknown[] }[] }[] };
    batches.push(document.resourceSpans[0]?.scopeSpans[0]?.spans.length ?? 0);
    heard.resolve();
    await may.promise;
    response.writeHead(status).end();
  }
  await once(server, 'listening');
  const clock = new StillClock();
  const exporter = new SpanExporter({ endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, clock, log: silentLog });
  const span: Span = { traceId: 't', spanId: 's', name: 'get', startMs: 0, endMs: 1, isFailed: false, attributes: {} };
  const add = (count: number): void => {
    for (let n = 0; n < count; n++) exporter.add(span);
  };
  return { server, batches, heard: heard.promise, may, clock, exporter, add };
}

test('while a collector does not answer, no more spans wait than there is room for, and they leave one batch after the other', async () => {
  const { server, batches, heard, may, clock, exporter, add } = await open();
  add(512);
  await heard;
  for (let seconds = 0; seconds < 60; seconds++) {
    add(1_000);
    clock.turn(1_000);
  }
  assert.deepEqual(batches, [512]);
  may.resolve();
  await exporter.close();
  assert.deepEqual(batches, [512, 512, 512, 512, 512]);
  server.close();
});

test('spans leave after five seconds; a collector that refuses them holds up no end', async () => {
  const { server, batches, heard, may, clock, exporter, add } = await open(503);
  add(3);
  clock.turn(4_999);
  add(2);
  assert.deepEqual(batches, []);
  clock.turn(1);
  await heard;
  add(1_200);
  const closed = exporter.close();
  may.resolve();
  await closed;
  assert.deepEqual(batches, [5]);
  server.close();
});

test('what was not sent yet leaves with the end', async () => {
  const { server, batches, may, exporter, add } = await open();
  may.resolve();
  add(3);
  await exporter.close();
  await exporter.close();
  assert.deepEqual(batches, [3]);
  server.close();
});
