import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { startTestServer, TEST_TOKENS, type TestServer } from '#testing';
import { nextFrame as frame, upgrade, type Upgraded } from '../support/upgrade.ts';

let api: TestServer;
before(async () => {
  api = await startTestServer({ over: 'http1', listen: {}, dialect: 'kubernetes' });
});
after(() => api.close());

const MAPS = '/api/v1/namespaces/default/configmaps';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** What a browser sends; `undefined` leaves a header out. */
function open(path: string, headers: Readonly<Record<string, string | undefined>> = {}): Promise<Upgraded> {
  const all = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    authorization: `Bearer ${TEST_TOKENS.admin}`,
    origin: 'https://pages.example',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'sec-websocket-version': '13',
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
  return upgrade(`${api.server.url}${path}`, 'GET', sent);
}

interface Event {
  readonly type: string;
  readonly object: { readonly metadata: { readonly name: string } };
}

test('R4.5-01 events are messages for those who come with a WebSocket: text, or binary in protobuf, one each', async () => {
  const made = ['one', 'two'];
  for (const name of made) await api.request('POST', MAPS, { metadata: { name } });
  const { answer, socket } = await open(`${MAPS}?watch=1&fieldSelector=metadata.name!=root`, { 'sec-websocket-protocol': 'mine' });
  assert.ok(socket !== undefined);
  assert.deepEqual([answer.statusCode, answer.headers['sec-websocket-protocol'], answer.headers['sec-websocket-accept']], [101, 'mine', 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=']);
  const names: string[] = [];
  while (names.filter((name) => made.includes(name)).length < made.length) {
    const [opcode, payload] = await frame(socket);
    assert.deepEqual([opcode, payload.at(-1)], [0x81, 0x0a]);
    names.push((JSON.parse(payload.toString()) as Event).object.metadata.name);
  }
  await api.request('POST', MAPS, { metadata: { name: 'three' } });
  const [, live] = await frame(socket);
  const event = JSON.parse(live.toString()) as Event;
  assert.deepEqual([event.type, event.object.metadata.name], ['ADDED', 'three']);
  // A ping is answered, and a goodbye, which ends the watch.
  socket.write(Buffer.from([0x89, 0x82, 0, 0, 0, 0, 0x68, 0x69]));
  assert.deepEqual(await frame(socket), [0x8a, Buffer.from('hi')]);
  socket.write(Buffer.from([0x88, 0x80, 0, 0, 0, 0]));
  assert.deepEqual(await frame(socket), [0x88, Buffer.from([0x03, 0xe8])]);
  if (!socket.closed) await once(socket.resume(), 'close');

  const framed = await open(`${MAPS}?watch=1&fieldSelector=metadata.name=one`, { accept: PROTOBUF });
  assert.ok(framed.socket !== undefined);
  const [opcode, payload] = await frame(framed.socket);
  assert.deepEqual([opcode, payload.subarray(0, 7).toString('latin1')], [0x82, '\x0a\x05ADDED']);
  framed.socket.destroy();
});

test('R4.5-01 a watch over a WebSocket ends in time, with a goodbye', async () => {
  const { socket } = await open(`${MAPS}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name=nobody`);
  assert.ok(socket !== undefined);
  assert.deepEqual(await frame(socket), [0x88, Buffer.from([0x03, 0xe8])]);
});

test('a page, which can send no other header, shows its token beside its subprotocol, and is answered the subprotocol alone', async () => {
  const token = `base64url.bearer.authorization.k8s.io.${Buffer.from(TEST_TOKENS.admin).toString('base64url')}`;
  for (const offered of [`${token}, mine`, `mine, ${token}`]) {
    const { answer, socket } = await open(`${MAPS}?watch=1`, { authorization: undefined, 'sec-websocket-protocol': offered });
    assert.deepEqual([answer.statusCode, answer.headers['sec-websocket-protocol']], [101, 'mine']);
    socket?.destroy();
  }
  const { answer, socket } = await open(`${MAPS}?watch=1`, { 'sec-websocket-protocol': ' ' });
  assert.deepEqual([answer.statusCode, answer.headers['sec-websocket-protocol']], [101, undefined]);
  socket?.destroy();
});

test('what is no WebSocket of a page is refused, and so is what no watch can be asked for', async () => {
  const refusals: readonly (readonly [Readonly<Record<string, string | undefined>>, number])[] = [
    [{ origin: undefined }, 403],
    [{ origin: 'null' }, 403],
    [{ 'sec-websocket-version': '8' }, 400],
    [{ 'sec-websocket-key': undefined }, 400],
    [{ 'sec-websocket-protocol': 'a, b' }, 400],
    [{ authorization: 'Bearer nobody' }, 401],
    [{ accept: 'application/yaml' }, 406],
  ];
  for (const [headers, status] of refusals) {
    const { answer } = await open(`${MAPS}?watch=1`, headers);
    assert.equal(answer.statusCode, status, JSON.stringify(headers));
    answer.resume();
  }
  const { answer } = await open(`${MAPS}?watch=1&resourceVersion=bad`);
  assert.equal(answer.statusCode, 500);
  answer.resume();
});
