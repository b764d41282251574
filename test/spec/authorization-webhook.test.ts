import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import type { AuthorizationOptions } from '#server';
import { startTestServer, TurnedClock, type TestAnswer, type TestJson, type TestServer, type TestServerOptions } from '#testing';
import { newAuthority } from '../support/certificates.ts';
import { WebhookServer, type Behaviour } from '../support/webhook-server.ts';
import { expect } from './world.ts';

/** 500 as text, with nothing of what went wrong in it. */
function assertUnknown({ status, text }: TestAnswer): void {
  assert.equal(status, 500);
  assert.equal(text, 'Internal Server Error: "/api/v1/namespaces/n/pods/p": the authorization webhook gives no answer\n');
}

type Webhook = NonNullable<AuthorizationOptions['webhook']>;

describe('authorization webhook', () => {
  let decider: WebhookServer;
  const servers: TestServer[] = [];
  const logged: string[] = [];
  const log = (message: string, fields?: object): void => void logged.push(JSON.stringify([message, fields]));

  before(async () => {
    decider = await WebhookServer.start();
  });
  after(() => decider.close());
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
    decider.heard.splice(0);
    decider.onHeard = undefined;
    logged.splice(0);
  });

  async function start(behaviour: Behaviour, webhook: Partial<Webhook> = {}, more: TestServerOptions = {}): Promise<TestServer> {
    decider.at('/authorize', behaviour);
    const connection = { server: `https://127.0.0.1:${decider.port}/authorize`, authority: decider.authority.cert, isVerified: true, namespace: '' };
    const authorization: AuthorizationOptions = { modes: ['Webhook', 'RBAC'], webhook: { connection, ...webhook } };
    const server = await startTestServer({ controllers: 'none', log: { info: log, warn: log, error: log }, authorization, ...more });
    servers.push(server);
    return server;
  }

  const answering = (status: object): Behaviour => ({ review }) => ({ apiVersion: review.apiVersion, kind: review.kind, status });
  const asAlice = (server: TestServer, path = '/api/v1/namespaces/n/pods/p'): Promise<TestAnswer> =>
    server.request('GET', path, undefined, { authorization: 'Bearer alicetoken' });
  const reviews = (): readonly TestJson[] => decider.reviewsAt('/authorize');

  for (const dialect of DIALECTS) {
    for (const version of ['v1', 'v1beta1'] as const) {
      test(`R4.12-10 R5.1-09 it is asked what somebody wants to do: ${dialect}, ${version}`, async () => {
        const server = await start(answering({ allowed: true }), { version }, { dialect });
        assert.equal((await asAlice(server)).status, 404);
        const user = { user: 'alice', [version === 'v1' ? 'groups' : 'group']: ['dev', 'system:authenticated'], uid: 'alice' };
        assert.deepEqual(reviews(), [
          {
            kind: 'SubjectAccessReview',
            apiVersion: `${brandOf(dialect).group('authorization')}/${version}`,
            metadata: { creationTimestamp: null },
            spec: { resourceAttributes: { namespace: 'n', verb: 'get', version: 'v1', resource: 'pods', name: 'p' }, ...user },
            status: { allowed: false },
          },
        ]);
        assert.equal((await asAlice(server, '/nowhere')).status, 404);
        assert.deepEqual(reviews()[1].spec, { nonResourceAttributes: { path: '/nowhere', verb: 'get' }, ...user });
        assert.ok(!JSON.stringify(decider.heard.map(({ review, headers }) => [review, headers])).includes('alicetoken'));
      });
    }
  }

  test('R4.12-10 it is asked about whom somebody acts as, with all that is known of them', async () => {
    const server = await start(answering({ allowed: true }), { version: 'v1' });
    const acting = { 'impersonate-user': 'bob', 'impersonate-group': 'dev', 'impersonate-extra-scopes': 'view' };
    assert.equal((await server.request('GET', '/nowhere', undefined, { authorization: 'Bearer alicetoken', ...acting })).status, 404);
    const nonResourceAttributes = { path: '/nowhere', verb: 'get' };
    assert.deepEqual(reviews().at(-1)?.spec, { nonResourceAttributes, user: 'bob', groups: ['dev', 'system:authenticated'], extra: { scopes: ['view'] } });
  });

  test('the group that may everything is not asked about', async () => {
    const server = await start(answering({ allowed: false, denied: true }));
    decider.heard.splice(0);
    expect(200, await server.request('GET', '/api/v1/nodes'));
    assert.equal(reviews().length, 0);
  });

  test('R4.12-11 R5.1-05 a no ends it; without an opinion the next module is asked', async () => {
    const denied = await start(answering({ denied: true, reason: 'not today' }));
    const refused = expect(403, await asAlice(denied, '/version'));
    assert.equal(refused.message, 'forbidden: User "alice" cannot get path "/version": not today');
    const undecided = await start(answering({ allowed: false, reason: 'not my house' }));
    expect(200, await asAlice(undecided, '/version'));
    assert.match(expect(403, await asAlice(undecided)).message, /: not my house$/);
  });

  test('what an answer leaves open with null is not said', async () => {
    const yes = await start(answering({ allowed: true, denied: null, reason: null, evaluationError: null }));
    expect(200, await asAlice(yes, '/version'));
    const no = await start(answering({ allowed: null, denied: true, reason: null }));
    assert.equal(expect(403, await asAlice(no, '/version')).message, 'forbidden: User "alice" cannot get path "/version"');
    const neither = await start(answering({ allowed: null, denied: null }));
    expect(200, await asAlice(neither, '/version'));
    expect(403, await asAlice(neither));
  });

  test('a no next to a yes ends it too, and makes no sense', async () => {
    const server = await start(answering({ allowed: true, denied: true, reason: 'not today' }));
    const { status, text } = await asAlice(server, '/version');
    assert.deepEqual([status, text], [500, 'Internal Server Error: "/version": webhook subject access review returned both allow and deny response\n']);
  });

  test('R5.1-02 an apply makes nothing where nobody can say whether its caller may create, and is not told that it may not', async () => {
    const verbs: string[] = [];
    const server = await start(({ review }) => {
      const { verb } = review.spec.resourceAttributes;
      verbs.push(verb);
      return { apiVersion: review.apiVersion, kind: review.kind, status: { allowed: true, denied: verb === 'create' } };
    });
    const path = '/api/v1/namespaces/default/configmaps/a';
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    const { status, body } = await server.patch('apply', `${path}?fieldManager=m`, config, { authorization: 'Bearer alicetoken' });
    assert.deepEqual([status, body.reason, body.message], [500, 'InternalError', 'Internal error occurred: webhook subject access review returned both allow and deny response']);
    assert.deepEqual(verbs, ['patch', 'create']);
    assert.equal((await asAlice(server, path)).status, 404);
  });

  test('R4.12-11 a yes is believed for five minutes, everything else for half a minute, each question by itself', async () => {
    const clock = new TurnedClock();
    let status: object = { allowed: true };
    const server = await start((heard, response) => answering(status)(heard, response), {}, { clock });
    for (let n = 0; n < 3; n++) assert.equal((await asAlice(server)).status, 404);
    assert.equal(reviews().length, 1);
    await asAlice(server, '/api/v1/namespaces/n/pods/q');
    await server.request('GET', '/api/v1/namespaces/n/pods/p', undefined, { authorization: 'Bearer bobtoken' });
    assert.equal(reviews().length, 3);
    status = { allowed: false };
    clock.turn(299_999);
    assert.equal((await asAlice(server)).status, 404);
    clock.turn(1);
    assert.equal((await asAlice(server)).status, 403);
    assert.equal(reviews().length, 4);
    status = { allowed: true };
    clock.turn(29_999);
    assert.equal((await asAlice(server)).status, 403);
    clock.turn(1);
    assert.equal((await asAlice(server)).status, 404);
  });

  test('nothing is believed where no time is given', async () => {
    const server = await start(answering({ allowed: true }), { authorizedTtlMs: 0, unauthorizedTtlMs: 0 });
    for (let n = 0; n < 3; n++) await asAlice(server);
    assert.equal(reviews().length, 3);
  });

  test('answers to very long questions are not kept, however many groups who asks is in', async () => {
    const groups = Array.from({ length: 1000 }, (_, at) => `group-${at}-of-many`).join(',');
    const server = await start(answering({ allowed: true }), {}, { tokens: `alicetoken,alice,,"${groups}"\n` });
    for (const [length, asked] of [[10_000, 2], [9_996, 1], [9_997, 2]] as const) {
      decider.heard.splice(0);
      for (let n = 0; n < 2; n++) await asAlice(server, `/${'x'.repeat(length - 1)}`);
      assert.equal(reviews().length, asked, `${length} characters`);
    }
  });

  test('reasons as long as they may be fill no memory: few are kept, others are asked for again', async () => {
    const server = await start(answering({ allowed: true, reason: 'x'.repeat(1_000_000) }));
    const paths = Array.from({ length: 24 }, (_, at) => `/path-${at}`);
    for (const path of [...paths, ...paths]) await asAlice(server, path);
    assert.equal(reviews().length, 2 * paths.length);
    await asAlice(server, paths.at(-1));
    assert.equal(reviews().length, 2 * paths.length);
  });

  test('it is asked whether somebody may escalate and bind in any version', async () => {
    const server = await start(answering({ allowed: true }));
    const group = brandOf('orch').group('rbac');
    const verbs = new Map<string, unknown>();
    const make = async (plural: string, object: object): Promise<void> => {
      expect(201, await server.request('POST', `/apis/${group}/v1/${plural}`, object, { authorization: 'Bearer alicetoken' }));
      for (const { spec } of reviews()) verbs.set(spec.resourceAttributes.verb, spec.resourceAttributes);
    };
    await make('clusterroles', { metadata: { name: 'a' }, rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] });
    const subjects = [{ apiGroup: group, kind: 'User', name: 'bob' }];
    await make('namespaces/default/rolebindings', { metadata: { name: 'b' }, roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'a' }, subjects });
    assert.deepEqual(verbs.get('escalate'), { verb: 'escalate', group, version: '*', resource: 'clusterroles' });
    assert.deepEqual(verbs.get('bind'), { namespace: 'default', verb: 'bind', group, version: '*', resource: 'clusterroles', name: 'a' });
  });

  test('an overworked server is asked five times, with growing pauses; then nobody knows', async () => {
    const clock = new TurnedClock();
    const server = await start((_, response) => void response.writeHead(503).end(), {}, { clock });
    // The pause begins after the answer was read: the clock is turned once it is waited for.
    const pauses: number[] = [];
    const after = clock.after.bind(clock);
    clock.after = (ms, run) => {
      if (ms >= 500 && ms < 30_000) pauses.push(ms);
      const cancel = after(ms, run);
      if (ms >= 500 && ms < 30_000) setImmediate(() => clock.turn(ms));
      return cancel;
    };
    assertUnknown(await asAlice(server));
    assert.equal(reviews().length, 5);
    assert.deepEqual(pauses.filter((ms) => [500, 750, 1125, 1687.5].includes(ms)), [500, 750, 1125, 1687.5]);
    assert.match(logged.join('\n'), /the authorization webhook gives no answer/);
  });

  const USELESS: readonly (readonly [what: string, behaviour: Behaviour])[] = [
    ['no JSON', (_, response) => void response.end('<html>')],
    ['another kind of answer', () => ({ apiVersion: 'v1', kind: 'Status', status: { allowed: true } })],
    ['another kind of this version', ({ review }) => ({ apiVersion: review.apiVersion, kind: 'SelfSubjectAccessReview', status: { allowed: true } })],
    ['another version', () => ({ apiVersion: 'authorization.orch.io/v9', kind: 'SubjectAccessReview', status: { allowed: true } })],
    ['a status that is a text', ({ review }) => ({ apiVersion: review.apiVersion, kind: review.kind, status: 'allowed' })],
    ['no status', ({ review }) => ({ apiVersion: review.apiVersion, allowed: true })],
    ['a redirect', (_, response) => void response.writeHead(307, { location: '/elsewhere' }).end()],
    ['yes as a text', answering({ allowed: 'true' })],
    ['yes beside a no as a text', answering({ allowed: true, denied: 'true' })],
    ['yes with a reason that is no text', answering({ allowed: true, reason: 7 })],
    ['too much', ({ review }) => ({ apiVersion: review.apiVersion, status: { allowed: true, reason: 'x'.repeat(2 ** 21) } })],
    ['status 403', (_, response) => void response.writeHead(403).end('{"status":{"allowed":true}}')],
  ];
  for (const [what, behaviour] of USELESS) {
    test(`RX-23 ${what} is no yes, and is not asked for again`, async () => {
      const server = await start(behaviour);
      assertUnknown(await asAlice(server));
      assert.equal(reviews().length, 1);
      // Whoever is asked next may still allow it.
      expect(200, await asAlice(server, '/version'));
    });
  }

  test('reviews say that it could not be found out, and who acts as another is refused', async () => {
    const server = await start((_, response) => void response.writeHead(403).end());
    const group = 'authorization.orch.io';
    const post = (kind: string, spec: object): Promise<TestAnswer> =>
      server.request('POST', `/apis/${group}/v1/${kind.toLowerCase()}s`, { apiVersion: `${group}/v1`, kind, spec });
    const asked = { user: 'alice', resourceAttributes: { verb: 'get', resource: 'pods' } };
    const evaluationError = 'the authorization webhook gives no answer';
    assert.deepEqual(expect(201, await post('SubjectAccessReview', asked)).status, { allowed: false, evaluationError });
    const allowed = { ...asked, groups: ['system:masters'] };
    assert.deepEqual(expect(201, await post('SubjectAccessReview', allowed)).status, { allowed: true });
    const { status } = expect(201, await post('SelfSubjectRulesReview', { namespace: 'default' }));
    assert.deepEqual([status.incomplete, status.evaluationError], [true, 'webhook authorizer does not support user rule resolution']);
    const headers = { authorization: 'Bearer alicetoken', 'impersonate-user': 'bob' };
    assert.equal((await server.request('GET', '/version', undefined, headers)).status, 403);
  });

  test('a server with a certificate that nobody vouches for is not believed', async () => {
    const connection = { server: `https://127.0.0.1:${decider.port}/authorize`, authority: (await newAuthority('another')).cert, isVerified: true, namespace: '' };
    const server = await start(answering({ allowed: true }), { connection });
    assertUnknown(await asAlice(server));
    assert.equal(reviews().length, 0);
  });
});

