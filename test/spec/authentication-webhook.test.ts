import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createPlain } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, test } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import { startTestServer, TurnedClock, type TestJson, type TestServer, type TestServerOptions } from '#testing';
import { makeAuthority, type MadePair } from './made-certificates.ts';
import { expect } from './world.ts';

interface Reviewer {
  readonly url: string;
  /** The bodies that came in, and the name in the certificate each came with. */
  readonly asked: { readonly body: TestJson; readonly by: string }[];
  /** How many of them are answered. */
  answered: number;
  /** Status and body of the next answers. */
  answer: (review: TestJson) => { readonly status?: number; readonly body: unknown; readonly location?: string };
  close(): Promise<void>;
}

async function openReviewer(pair: MadePair, clientCa: string): Promise<Reviewer> {
  const server: Server = createServer({ ...pair, ca: clientCa, requestCert: true });
  const reviewer: Reviewer = {
    get url() {
      return `https://127.0.0.1:${(server.address() as AddressInfo).port}/authenticate`;
    },
    asked: [],
    answered: 0,
    answer: () => ({ body: {} }),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  server.on('request', (request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const body = JSON.parse(text) as TestJson;
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      assert.deepEqual([request.method, request.url], ['POST', '/authenticate']);
      reviewer.asked.push({ body, by: subject?.CN === undefined ? '' : String(subject.CN) });
      const { status = 200, body: answer, location } = reviewer.answer(body);
      response.on('finish', () => (reviewer.answered += 1));
      response.writeHead(status, { 'content-type': 'application/json', ...(location === undefined ? {} : { location }) }).end(JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return reviewer;
}

const USER = { username: 'jane', uid: 'u', groups: ['dev'], extra: { scopes: ['a', 'b'] } };
const knows = (review: TestJson, status: object = {}): { readonly body: unknown } => ({
  body: { apiVersion: review.apiVersion, kind: 'TokenReview', spec: { token: 'ignored' }, status: { authenticated: true, user: USER, ...status } },
});

describe('token webhook', () => {
  let reviewer: Reviewer;
  let connection: { readonly server: string; readonly authority: string; readonly isVerified: true; readonly namespace: ''; readonly clientCertificate: MadePair };
  const servers: TestServer[] = [];
  const logged: string[] = [];
  const log = (message: string, fields?: object): void => void logged.push(JSON.stringify([message, fields]));

  before(async () => {
    const authority = await makeAuthority('webhooks');
    reviewer = await openReviewer(await authority.issue({ commonName: 'reviewer', usage: 'server' }), authority.cert);
    const clientCertificate = await authority.issue({ commonName: 'orch' });
    connection = { server: reviewer.url, authority: authority.cert, isVerified: true, namespace: '', clientCertificate };
  });
  after(() => reviewer.close());
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
    reviewer.asked.splice(0);
    reviewer.answered = 0;
    for (const line of logged.splice(0)) assert.ok(!line.includes('secret-token'), line);
  });

  async function start(webhook: object = {}, more: TestServerOptions = {}): Promise<TestServer> {
    const authentication = { tokenWebhook: { connection, ...webhook } };
    const server = await startTestServer({ controllers: 'none', log: { info: log, warn: log, error: log }, ...more, authentication: { ...authentication, ...more.authentication } });
    servers.push(server);
    return server;
  }

  const ask = async (server: TestServer, token = 'secret-token'): Promise<number> =>
    (await server.request('GET', '/api/v1/nodes', undefined, { authorization: `Bearer ${token}` })).status;

  for (const dialect of DIALECTS) {
    for (const version of ['v1', 'v1beta1'] as const) {
      test(`R1-19 R4.12-01 R4.12-03 R4.12-04 R4.12-05 R4.12-06 R2.13-04 R2.13-07 R2.13-09 R2.13-12 R5.5-02 R5.5-03 R5.5-06 it is asked about tokens nobody else knows: ${dialect}, ${version}`, async () => {
        const brand = brandOf(dialect);
        const server = await start({ version }, { dialect });
        reviewer.answer = (review) => knows(review);
        assert.equal(await ask(server), 403);
        const [{ body, by }] = reviewer.asked as [Reviewer['asked'][number]];
        assert.equal(by, 'orch');
        assert.deepEqual([body.apiVersion, body.kind], [`${brand.group('authentication')}/${version}`, 'TokenReview']);
        const audiences = [`https://${brand.names.apiService}.default.svc`];
        assert.deepEqual(body.spec, { token: 'secret-token', audiences });
        const review = { spec: { token: 'secret-token' } };
        const { status } = expect(201, await server.request('POST', `/apis/${brand.group('authentication')}/v1/tokenreviews`, review));
        assert.deepEqual(status, { authenticated: true, user: { ...USER, groups: ['dev', 'system:authenticated'] }, audiences });
        assert.equal(reviewer.asked.length, 1);
      });
    }
  }

  test('R5.5-07 without a version it is v1beta1', async () => {
    reviewer.answer = (review) => knows(review);
    assert.equal(await ask(await start()), 403);
    assert.equal(reviewer.asked[0]?.body.apiVersion, 'authentication.orch.io/v1beta1');
  });

  test('R5.5-04 R5.5-05 R8-16 RX-24 what it said is believed for two minutes, for and against a token', async () => {
    const clock = new TurnedClock();
    const server = await start({}, { clock });
    for (const [authenticated, status] of [[true, 403], [false, 401]] as const) {
      const token = `secret-token-${status}`;
      reviewer.answer = (review) => knows(review, { authenticated });
      assert.deepEqual(await Promise.all([ask(server, token), ask(server, token)]), [status, status]);
      reviewer.answer = (review) => knows(review, { authenticated: !authenticated });
      clock.turn(119_000);
      assert.equal(await ask(server, token), status);
      assert.equal(reviewer.asked.length, 1);
      clock.turn(2_000);
      assert.equal(await ask(server, token), 804 - status);
      assert.equal(reviewer.asked.splice(0).length, 2);
    }
  });

  test('what it said of a token for others is not believed where the token is used here', async () => {
    const server = await start();
    reviewer.answer = (review) => knows(review, review.spec.audiences.includes('elsewhere') ? { audiences: ['elsewhere'] } : { authenticated: false });
    const path = `/apis/${brandOf('orch').group('authentication')}/v1/tokenreviews`;
    const { status } = expect(201, await server.request('POST', path, { spec: { token: 'secret-token', audiences: ['elsewhere'] } }));
    assert.deepEqual([status.authenticated, status.audiences], [true, ['elsewhere']]);
    assert.equal(await ask(server), 401);
  });

  test('what it says is wrong with a token is told to who reviews the token, for as long as it is believed, and not to who uses it', async () => {
    const server = await start();
    reviewer.answer = (review) => knows(review, { authenticated: false, error: 'this one was taken back' });
    const path = `/apis/${brandOf('orch').group('authentication')}/v1/tokenreviews`;
    for (let n = 0; n < 2; n++) {
      const { status } = expect(201, await server.request('POST', path, { spec: { token: 'secret-token' } }));
      assert.deepEqual(status, { user: {}, error: '[invalid bearer token, this one was taken back]' });
    }
    assert.equal(reviewer.asked.length, 1);
    const { status, body } = await server.request('GET', '/api/v1/nodes', undefined, { authorization: 'Bearer secret-token' });
    assert.deepEqual([status, body.message], [401, 'Unauthorized']);
  });

  test('without a cache every request asks', async () => {
    const server = await start({ cacheTtlMs: 0 });
    reviewer.answer = (review) => knows(review);
    assert.deepEqual([await ask(server), await ask(server)], [403, 403]);
    assert.equal(reviewer.asked.length, 2);
  });

  test('it is not asked about tokens that others know', async () => {
    assert.equal(await ask(await start(), 'alicetoken'), 403);
    assert.equal(reviewer.asked.length, 0);
  });

  test('R5.5-09 R5.5-10 R9-45 R9-46 RX-23 an answer that is none refuses the token, and nobody is told why', async () => {
    const server = await start({ cacheTtlMs: 0 });
    const answers: readonly Reviewer['answer'][] = [
      (review) => ({ body: { ...(knows(review).body as object), apiVersion: 'authentication.orch.io/v1' } }),
      () => ({ body: [] }),
      () => ({ body: 'text' }),
      (review) => ({ body: { apiVersion: review.apiVersion } }),
      (review) => knows(review, { authenticated: 'true' }),
      (review) => knows(review, { authenticated: false, error: 'secret-token is unknown' }),
      (review) => knows(review, { user: {} }),
      (review) => knows(review, { user: { username: 7 } }),
      (review) => knows(review, { audiences: ['https://elsewhere'] }),
      (review) => knows(review, { audiences: [7] }),
      (review) => knows(review, { user: { ...USER, groups: 'dev' } }),
      (review) => knows(review, { user: { ...USER, groups: ['dev', 7] } }),
      (review) => knows(review, { user: { ...USER, extra: { scopes: 'a' } } }),
      (review) => knows(review, { user: { ...USER, extra: ['a'] } }),
      (review) => ({ body: { ...(knows(review).body as object), kind: 'Pod' } }),
      (review) => ({ ...knows(review), status: 400 }),
      (review) => ({ ...knows(review), status: 307, location: reviewer.url }),
      (review) => ({ status: 400, body: { message: `no ${review.spec.token}` } }),
    ];
    for (const answer of answers) {
      reviewer.answer = answer;
      const { status, body } = await server.request('GET', '/api/v1/nodes', undefined, { authorization: 'Bearer secret-token' });
      assert.deepEqual([status, body.message, body.reason], [401, 'Unauthorized', 'Unauthorized'], answer.toString());
    }
    assert.equal(reviewer.asked.length, answers.length);
  });

  test('an answer need not say its kind, nor have lists; nobody in no group has none in a review', async () => {
    const server = await start({ cacheTtlMs: 0 });
    const review = { spec: { token: 'secret-token' } };
    const statusFor = async (user: object): Promise<unknown> => {
      reviewer.answer = (asked) => ({ body: { apiVersion: asked.apiVersion, status: { authenticated: true, user, audiences: null } } });
      return expect(201, await server.request('POST', '/apis/authentication.orch.io/v1/tokenreviews', review)).status.user;
    };
    assert.deepEqual(await statusFor({ username: 'jane', groups: null, extra: null }), { username: 'jane', groups: ['system:authenticated'] });
    assert.deepEqual(await statusFor({ username: 'system:anonymous' }), { username: 'system:anonymous' });
  });

  test('a reviewer that is overworked is asked again after pauses', async () => {
    const clock = new TurnedClock();
    const server = await start({}, { clock });
    reviewer.answer = (review) => (reviewer.asked.length < 3 ? { status: 503, body: {} } : knows(review));
    const asking = ask(server);
    // Time passes in the pauses alone, and not while somebody is being asked.
    while (reviewer.answered < 3) {
      if (reviewer.answered > 0 && reviewer.answered === reviewer.asked.length) clock.turn(10);
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(await asking, 403);
    assert.equal(reviewer.asked.length, 3);
  });

  test('R4.12-02 a reviewer without TLS is asked, too', async () => {
    const plain = createPlain((request, response) => {
      request.resume().on('end', () => response.end(JSON.stringify(knows({ apiVersion: 'authentication.orch.io/v1beta1' }).body)));
    }).listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo;
    assert.equal(await ask(await start({ connection: { server: `http://127.0.0.1:${port}/`, isVerified: true, namespace: '' } })), 403);
    plain.close();
    plain.closeAllConnections();
  });

  test('a reviewer that another authority vouches for is not believed', async () => {
    const other = await makeAuthority('others');
    reviewer.answer = (review) => knows(review);
    assert.equal(await ask(await start({ connection: { ...connection, authority: other.cert } })), 401);
    assert.equal(reviewer.asked.length, 0);
    assert.ok(logged.some((line) => line.includes('untrusted')));
  });
});
