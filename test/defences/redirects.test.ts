import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '#testing';
import { WebhookWorld } from '../support/webhook-world.ts';

const listeners: Server[] = [];
let server: TestServer;
let reached = 0;
let elsewhere = 0;

async function listen(answer: RequestListener): Promise<number> {
  const listener = createServer(answer).listen(0, '127.0.0.1');
  listeners.push(listener);
  await once(listener, 'listening');
  return (listener.address() as AddressInfo).port;
}

before(async () => {
  elsewhere = await listen((_request, response) => {
    reached++;
    response.end('elsewhere');
  });
  server = await startTestServer({ controllers: 'none', over: 'http1', listen: {}, nodes: { mayProxyToLocal: true } });
  await server.request('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  await server.request('POST', '/api/v1/namespaces/default/pods', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await server.patch('merge', '/api/v1/namespaces/default/pods/p/status', { status: { podIP: '127.0.0.1', podIPs: [{ ip: '127.0.0.1' }] } });
});
after(async () => {
  await server.close();
  listeners.forEach((listener) => (listener.close(), listener.closeAllConnections()));
});

const CODES = [301, 302, 303, 307, 308];

test('redirects from back ends: a pod sends the server nowhere, whatever the code, the address and the request', async () => {
  for (const code of CODES) {
    for (const location of [`http://127.0.0.1:${elsewhere}/`, `//127.0.0.1:${elsewhere}/`, `http://user:password@127.0.0.1:${elsewhere}/`]) {
      const port = await listen((_request, response) => void response.writeHead(code, { location }).end());
      for (const [method, headers] of [['GET', {}], ['POST', {}], ['GET', { connection: 'Upgrade', upgrade: 'SPDY/3.1' }]] as const) {
        const { text } = await server.request(method, `/api/v1/namespaces/default/pods/p:${port}/proxy/`, undefined, headers);
        assert.doesNotMatch(text, /elsewhere/, `${code} ${location} ${method}`);
      }
    }
  }
  assert.equal(reached, 0);
});

test('redirects from back ends: what comes with one is not waited for, and its connection is let go', async () => {
  let closed: Promise<unknown> | undefined;
  const port = await listen((request, response) => {
    closed = once(request.socket, 'close');
    response.writeHead(302, { location: `http://127.0.0.1:${elsewhere}/`, 'content-length': '1000' }).write('more');
  });
  // A client that keeps its connection: the end of that one is not what ends the other.
  const { status } = await server.request('GET', `/api/v1/namespaces/default/pods/p:${port}/proxy/`);
  assert.equal(status, 500);
  await closed;
});

test('redirects from webhooks: a review goes to the address that was registered, and to no other', async () => {
  const world = new WebhookWorld('orch');
  await world.start();
  try {
    const namespace = await world.namespace();
    for (const code of CODES) {
      await world.register('Validating', [world.webhook(namespace, (_heard, response) => void response.writeHead(code, { location: `http://127.0.0.1:${elsewhere}/` }).end())]);
      assert.equal((await world.createMap(namespace)).status, 500);
      await world.forget();
    }
  } finally {
    await world.end();
  }
  assert.equal(reached, 0);
});
