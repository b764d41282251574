// Connections on which little or nothing comes, and requests that want to go on with another protocol and may not.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '#testing';
import { ask, closed, codesOf } from './raw-connection.ts';

const PATH = '/api/v1/namespaces/default';
const ADMIN = 'Host: x\r\nAuthorization: Bearer admintoken\r\n';
const UPGRADE = 'Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\n';

let server: TestServer;
before(async () => {
  server = await startTestServer({ controllers: 'none', over: 'http1' });
});
after(() => server.close());

test('upgrade requests that fail half way end their connection: nothing behind them is read as a request of the same caller', async () => {
  const second = `DELETE ${PATH}/configmaps HTTP/1.1\r\n${ADMIN}\r\n`;
  await server.request('POST', `${PATH}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'stays' } });
  for (const path of [`${PATH}/pods/none/exec?command=ls&stdout=true`, `${PATH}/pods/none/attach?stdout=true`, `${PATH}/pods/none/portforward`, `${PATH}/pods/none/proxy/`, `${PATH}/services/none/proxy/`, '/api/v1/nodes/none/proxy/', `${PATH}/configmaps`, '/livez', '/none']) {
    for (const method of ['GET', 'POST']) {
      const answer = await ask(server, `${method} ${path} HTTP/1.1\r\n${ADMIN}${UPGRADE}\r\n${second}`);
      assert.equal(codesOf(answer).length, 1, `${method} ${path} ${answer}`);
      assert.notEqual(codesOf(answer)[0], 101);
      assert.match(answer, /connection: close/i);
    }
  }
  assert.equal((await server.request('GET', `${PATH}/configmaps/stays`)).status, 200);
});

test('an upgrade offered by somebody without the right to it is refused before anybody is called', async () => {
  for (const who of ['', 'Authorization: Bearer bobtoken\r\n', 'Authorization: Bearer wrong\r\n']) {
    const answer = await ask(server, `GET ${PATH}/pods/none/exec?command=ls HTTP/1.1\r\nHost: x\r\n${who}${UPGRADE}\r\n`);
    assert.ok([401, 403].includes(codesOf(answer)[0] ?? 0), answer);
  }
});

test('a request for another protocol never overtakes one that waits for its answer', async () => {
  const exec = `GET ${PATH}/pods/none/exec?command=ls HTTP/1.1\r\n${ADMIN}${UPGRADE}\r\n`;
  const answer = await ask(server, `GET ${PATH}/configmaps?watch=1&timeoutSeconds=1 HTTP/1.1\r\n${ADMIN}\r\n${exec}`);
  assert.deepEqual(codesOf(answer), [200, 404], answer);
});

async function idle(text: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: server.server.port ?? 0 });
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
}

test('idle connections and heads without end by the hundred keep nobody from being served, and closing does not wait for them', async () => {
  const sockets: Socket[] = [];
  for (let round = 0; round < 100; round++) {
    const texts = ['', 'GET ', `GET ${PATH} HTTP/1.1\r\nHost: x\r\nX: y`, `POST ${PATH}/configmaps HTTP/1.1\r\n${ADMIN}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`];
    sockets.push(...(await Promise.all(texts.map(idle))));
  }
  const { status } = await server.request('GET', PATH);
  assert.equal(status, 200);
  const ends = Promise.all(sockets.map(closed));
  await server.close();
  await ends;
});
