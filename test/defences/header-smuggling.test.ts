import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type IncomingHttpHeaders } from 'node:http2';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '#testing';
import { newAuthority } from '../support/certificates.ts';
import { ask, codesOf, fields, FLAG, FRAME, frame, framesUntilClosed, openHttp2, say } from './raw-connection.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const ADMIN = 'Host: x\r\nAuthorization: Bearer admintoken\r\n';
const BOB = 'Host: x\r\nAuthorization: Bearer bobtoken\r\n';
/** Ends the connection after the answer. */
const CLOSE = 'Connection: close\r\n';
const object = (name: string): string => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"}}`;

let server: TestServer;
before(async () => {
  server = await startTestServer({ controllers: 'none', over: 'http1' });
});
after(() => server.close());

const asWhole = (body: string): string => `Content-Length: ${body.length}\r\n\r\n${body}`;
const asChunks = (body: string): string => `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

/** A second request, hidden in what another reader takes for the body of the first. */
const HIDDEN = `POST ${PATH} HTTP/1.1\r\n${ADMIN}Content-Type: application/json\r\nContent-Length: ${object('smuggled').length}\r\n\r\n${object('smuggled')}`;

/** Framings that two readers may understand differently: the parser refuses them. */
const AMBIGUOUS: readonly string[] = [
  'Content-Length: 5\r\nContent-Length: 6\r\n',
  'Content-Length: 5\r\nContent-Length: 5\r\n',
  'Content-Length: 5, 5\r\n',
  'Content-Length: 5,6\r\n',
  'Content-Length: +5\r\n',
  'Content-Length: -5\r\n',
  'Content-Length: 0x5\r\n',
  'Content-Length: 5 5\r\n',
  'Content-Length: \r\n',
  'Content-Length : 5\r\n',
  'Content-Length: 99999999999999999999999\r\n',
  'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n',
  'Transfer-Encoding: chunked\r\nContent-Length: 5\r\n',
  'Transfer-Encoding: chunked, identity\r\n',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',
  'Transfer-Encoding: \u000bchunked\r\n',
  'Transfer-Encoding : chunked\r\n',
  'Transfer-Encoding\r\n : chunked\r\n',
  'X: y\nTransfer-Encoding: chunked\r\n',
  'X: y\r\n\u0000: z\r\n',
  'X: y\rContent-Length: 5\r\n',
];

test('request smuggling: framings that two readers may understand differently are refused, and nothing behind them is read', async () => {
  const rows = [...AMBIGUOUS.map((framing) => [framing, 400] as const), ['Transfer-Encoding: xchunked\r\n', 501] as const];
  for (const [framing, code] of rows) {
    const answer = await say(server, `POST ${PATH} HTTP/1.1\r\n${ADMIN}Content-Type: application/json\r\n${framing}\r\n0\r\n\r\n${HIDDEN}`);
    assert.deepEqual(codesOf(answer), [code], `${JSON.stringify(framing)} ${answer}`);
  }
  assert.equal((await server.request('GET', `${PATH}/smuggled`)).status, 404);
});

test('request smuggling: chunks with lengths that are none end the connection', async () => {
  for (const chunk of ['+1\r\nx\r\n0\r\n\r\n', '0x1\r\nx\r\n0\r\n\r\n', '-1\r\nx\r\n', ' 1\r\nx\r\n0\r\n\r\n', '1\nx\r\n0\r\n\r\n', 'ffffffffffffffffff\r\nx\r\n', '1\r\nxx\r\n0\r\n\r\n', '\r\nx\r\n']) {
    const answer = await say(server, `POST ${PATH} HTTP/1.1\r\n${ADMIN}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${HIDDEN}`);
    assert.ok(codesOf(answer).length <= 1, `${JSON.stringify(chunk)} ${answer}`);
    assert.ok(codesOf(answer).every((code) => code === 400), `${JSON.stringify(chunk)} ${answer}`);
  }
  assert.equal((await server.request('GET', `${PATH}/smuggled`)).status, 404);
});

test('request smuggling: what stands in a body is no request and no tunnel, offers of another protocol or not', async () => {
  const upgradeTo = (protocol: string): string => `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n`;
  const offers = ['', upgradeTo('h2c'), 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n', upgradeTo('websocket'), upgradeTo('SPDY/3.1')];
  for (const [at, offer] of offers.entries()) {
    const answer = await ask(server, `GET /version HTTP/1.1\r\n${ADMIN}${offer}${CLOSE}Content-Length: ${HIDDEN.length}\r\n\r\n${HIDDEN}`);
    assert.deepEqual(codesOf(answer), [200], `${offer} ${answer}`);
    for (const [name, framed] of [[`whole-${at}`, asWhole], [`chunked-${at}`, asChunks]] as const) {
      const made = await ask(server, `POST ${PATH} HTTP/1.1\r\n${ADMIN}${offer}${CLOSE}Content-Type: application/json\r\n${framed(object(name))}`);
      assert.deepEqual(codesOf(made), [201], `${offer} ${made}`);
    }
  }
  assert.equal((await server.request('GET', `${PATH}/smuggled`)).status, 404);
});

test('header smuggling: who a proxy says somebody is counts only with the certificate of the proxy', async () => {
  const claims = 'X-Remote-User: admin\r\nX-Remote-Group: system:masters\r\nX-Remote-Extra-Scopes: all\r\n';
  const spellings = [claims, claims.toLowerCase(), claims.toUpperCase().replaceAll('ADMIN', 'admin'), claims.replaceAll('-', '_'), `Connection: X-Remote-User\r\n${claims}`];
  for (const spelling of spellings) {
    assert.deepEqual(codesOf(await ask(server, `GET ${PATH} HTTP/1.1\r\n${BOB}${spelling}${CLOSE}\r\n`)), [403]);
    assert.deepEqual(codesOf(await ask(server, `GET ${PATH} HTTP/1.1\r\nHost: x\r\n${spelling}${CLOSE}\r\n`)), [403]);
  }
});

test('header smuggling: acting as another takes the right to, in every spelling of the header, repeated or incomplete', async () => {
  for (const claim of [
    'Impersonate-User: admin\r\nImpersonate-Group: system:masters\r\n', 'impersonate-user: admin\r\n', 'Impersonate-User: bob\r\nImpersonate-User: admin\r\n', 'Impersonate-User: admin\r\nImpersonate-User: bob\r\n',
    'Impersonate-User:\r\nImpersonate-User: admin\r\n',
  ]) {
    assert.deepEqual(codesOf(await ask(server, `GET ${PATH} HTTP/1.1\r\n${BOB}${claim}${CLOSE}\r\n`)), [403], claim);
  }
  for (const incomplete of ['Impersonate-Group: system:masters\r\n', 'Impersonate-Extra-Scopes: all\r\n', 'Impersonate-Uid: admin\r\n']) {
    const [code] = codesOf(await ask(server, `GET ${PATH} HTTP/1.1\r\n${BOB}${incomplete}${CLOSE}\r\n`));
    assert.ok(code === 403 || code === 400 || code === 500, `${incomplete} ${code}`);
  }
});

test('header smuggling: a second Authorization header is never the one that counts alone', async () => {
  const answer = await ask(server, `GET ${PATH} HTTP/1.1\r\nHost: x\r\n${CLOSE}Authorization: Bearer bobtoken\r\nAuthorization: Bearer admintoken\r\n\r\n`);
  assert.ok([400, 401, 403].includes(codesOf(answer)[0] ?? 0), answer);
});

test('absolute targets mean the path behind the host, whatever the host', async () => {
  const target = (text: string): Promise<string> => ask(server, `GET ${text} HTTP/1.1\r\n${BOB}${CLOSE}\r\n`);
  for (const text of [`http://x${PATH}`, `https://admin@x:1${PATH}`, `http://x/livez/../${PATH}`, `http://x?/livez`]) {
    assert.deepEqual(codesOf(await target(text)), [403], text);
  }
  assert.deepEqual(codesOf(await target('http://x/livez')), [200]);
});

const startSecure = async (): Promise<TestServer> =>
  startTestServer({ controllers: 'none', over: 'http2', listen: { tls: await (await newAuthority()).issue('server', ['127.0.0.1']) } });

test('HTTP/2: CONNECT opens no tunnel', async () => {
  const secure = await startSecure();
  const session = connect(secure.server.url ?? '', { rejectUnauthorized: false });
  try {
    for (const token of ['admintoken', 'bobtoken']) {
      const stream = session.request({ ':method': 'CONNECT', ':authority': 'x:1', authorization: `Bearer ${token}` });
      const [head] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status'?: number }];
      assert.equal(head[':status'], token === 'admintoken' ? 404 : 403);
      stream.close();
    }
  } finally {
    session.close();
    await secure.close();
  }
});

test('HTTP/2: what only HTTP/1.1 says about a connection is refused', async () => {
  const secure = await startSecure();
  const head = { ':method': 'POST', ':scheme': 'https', ':path': PATH, ':authority': 'x', authorization: 'Bearer admintoken', 'content-type': 'application/json' };
  try {
    const wrong: readonly Readonly<Record<string, string>>[] = [
      { ...head, 'transfer-encoding': 'chunked' }, { ...head, connection: 'keep-alive' }, { ...head, 'proxy-connection': 'x' }, { ...head, 'content-length': '3' },
      { ...head, ':status': '200' }, { ...head, 'content-length': 'x' }, { ...head, ':path': '' },
    ];
    for (const pairs of wrong) {
      const socket = await openHttp2(secure);
      const heard = framesUntilClosed(socket, FRAME.ping);
      const body = frame(FRAME.data, FLAG.endStream, 1, Buffer.from(object('smuggled')));
      socket.write(Buffer.concat([frame(FRAME.headers, FLAG.endHeaders, 1, fields(pairs)), body, frame(FRAME.ping, FLAG.none, 0, Buffer.alloc(8))]));
      const answers = (await heard).filter(({ type, stream }) => stream === 1 && type === FRAME.headers);
      assert.equal((await secure.request('GET', `${PATH}/smuggled`)).status, 404, JSON.stringify(pairs));
      assert.ok(answers.length <= 1);
    }
  } finally {
    await secure.close();
  }
});
