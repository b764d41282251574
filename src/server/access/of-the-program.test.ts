import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definePlugin, refuse, type AdmissionHooks } from '#admission';
import { unauthorized } from '#errors';
import type { AuditEvent } from '../index.ts';
import type { ServerOptions } from '../options.ts';
import { startServer, type RunningServer } from '../start.ts';

type Given = Readonly<Record<string, string>>;

async function ask(server: RunningServer, headers: Given, method = 'GET', path = '/api/v1/namespaces/team-a/configmaps'): Promise<readonly [number, string]> {
  const answer = await server.exchange({ method, path, headers });
  assert.ok('body' in answer);
  const { message = '' } = JSON.parse(new TextDecoder().decode(answer.body)) as { message?: string };
  return [answer.status, message];
}

/** Who says `session=<name>` is that one; `session=forged` is refused. Everybody may read in the namespace of their name, and nobody in `team-x`. */
const OPTIONS: ServerOptions = {
  listen: false,
  tokens: 'secret,admin,1,"system:masters"\ntb,team-b,2',
  authentication: {
    authenticators: [
      {
        name: 'session',
        authenticate({ headers }) {
          const name = /session=([\w-]+)/.exec(headers.get('cookie')?.[0] ?? '')?.[1];
          if (name === 'forged') throw unauthorized();
          return name === undefined ? undefined : { user: { name, groups: [] } };
        },
      },
    ],
  },
  authorization: {
    authorizers: [
      {
        async authorize({ user, namespace, verb }) {
          if (user.name === 'broken') throw new Error('the directory is away');
          if (namespace === 'team-x') return { verdict: 'deny', reason: 'team-x is closed' };
          return verb === 'list' && user.name === namespace ? { verdict: 'allow', reason: '' } : { verdict: 'noOpinion', reason: '' };
        },
      },
    ],
  },
};

test('an embedding program says who somebody is, and what they may do before roles and bindings are looked at', async () => {
  const lines: string[] = [];
  const log = { info: () => {}, warn: () => {}, error: (message: string, facts?: object) => void lines.push(`${message} ${JSON.stringify(facts)}`) };
  const server = await startServer({ ...OPTIONS, log });
  const cookie = (name: string): Given => ({ cookie: `session=${name}` });
  assert.deepEqual((await ask(server, cookie('team-a')))[0], 200);
  assert.match((await ask(server, cookie('team-a'), 'GET', '/api/v1/namespaces/team-b/configmaps'))[1], /^configmaps is forbidden: User "team-a" cannot list/);
  assert.match((await ask(server, cookie('team-x'), 'GET', '/api/v1/namespaces/team-x/configmaps'))[1], /team-x is closed$/);
  // Credentials that the server knows by itself come first.
  assert.deepEqual((await ask(server, { ...cookie('team-a'), authorization: 'Bearer tb' }))[0], 403);
  assert.deepEqual((await ask(server, { ...cookie('team-x'), authorization: 'Bearer secret' }, 'GET', '/api/v1/namespaces/team-x/configmaps'))[0], 200);
  // A token that nobody knows does not stop them; without theirs, or with a bad one, nobody comes in.
  assert.deepEqual((await ask(server, { ...cookie('team-a'), authorization: 'Bearer other' }))[0], 200);
  assert.deepEqual((await ask(server, { authorization: 'Bearer other' }))[0], 401);
  assert.deepEqual((await ask(server, cookie('forged')))[0], 401);
  // What they cannot find out lets nobody in, and its words stay in the log.
  const [status, message] = await ask(server, cookie('broken'), 'GET', '/api/v1/namespaces/broken/configmaps');
  assert.equal(status, 500);
  assert.doesNotMatch(message, /directory/);
  assert.match(lines.join('\n'), /the directory is away/);
  await server.close();
});

/** What an authenticator answers that plain JavaScript makes easily wrong, and what the log says of it. */
const NO_IDENTITIES: readonly (readonly [said: unknown, why: string])[] = [
  [true, 'user is no object'],
  [{ name: 'jane', groups: [] }, 'user is no object'],
  [{ user: { username: 'jane', groups: [] } }, 'user.name is no text, or an empty one'],
  [{ user: { name: '', groups: [] } }, 'user.name is no text, or an empty one'],
  [{ user: { name: 'jane' } }, 'user.groups is no list of texts'],
  [{ user: { name: 'jane', groups: 'system:masters' } }, 'user.groups is no list of texts'],
  [{ user: { name: 'jane', groups: [], uid: 5 } }, 'user.uid is no text'],
  [{ user: { name: 'jane', groups: [], extra: { team: 'a' } } }, 'user.extra is no object with lists of texts'],
  [{ user: { name: 'jane', groups: [] }, audiences: 'api' }, 'audiences is no list of texts'],
];
const NO_ANSWERS: readonly unknown[] = [undefined, true, 'allow', { allowed: true }, { verdict: 'Allow', reason: '' }];

/** A server with these options, what it answers, and what its log says of it. */
async function tried(options: ServerOptions, request: Parameters<RunningServer['exchange']>[0]): Promise<{ readonly status: number; readonly message: string; readonly logged: string }> {
  const lines: string[] = [];
  const log = { info: () => {}, warn: () => {}, error: (message: string, facts?: object) => void lines.push(`${message} ${JSON.stringify(facts)}`) };
  const server = await startServer({ ...OPTIONS, ...options, log });
  const answer = await server.exchange(request);
  await server.close();
  assert.ok('body' in answer);
  const { message = '' } = JSON.parse(new TextDecoder().decode(answer.body)) as { message?: string };
  return { status: answer.status, message, logged: lines.join('\n') };
}

const READ = { method: 'GET', path: '/api/v1/namespaces/default/configmaps' } as const;

test('an authenticator of the program that answers in another form, or fails, is named to the client, and the log says why', async () => {
  const asked = async (authenticate: () => unknown): ReturnType<typeof tried> => tried({ authentication: { authenticators: [{ name: 'session', authenticate: authenticate as () => undefined }] } }, READ);
  for (const [said, why] of NO_IDENTITIES) {
    for (const authenticate of [() => said, async () => said]) {
      const { status, message, logged } = await asked(authenticate);
      assert.deepEqual([status, message], [500, 'Internal error occurred: authenticator "session" failed'], why);
      assert.ok(logged.includes(`Error: ${why}: an authenticator answers { user: { name, groups } }`), logged);
    }
  }
  const { message, logged } = await asked(async () => {
    throw new Error('the directory is away');
  });
  assert.equal(message, 'Internal error occurred: authenticator "session" failed');
  assert.match(logged, /authenticator \\"session\\" failed.*the directory is away/);
  // Programs say so, too, that the credentials are of another kind.
  for (const authenticate of [() => null, async () => null]) assert.equal((await asked(authenticate)).status, 403);
});

test('an authorizer of the program that answers in another form is named to the client and allows nothing; one without a reason gives none', async () => {
  const asked = async (said: unknown): ReturnType<typeof tried> => tried({ authorization: { authorizers: [{ authorize: () => said as { verdict: 'deny'; reason: '' } }] } }, READ);
  for (const said of NO_ANSWERS) {
    const { status, message, logged } = await asked(said);
    assert.deepEqual([status, message], [500, 'Internal error occurred: authorization.authorizers[0] failed'], String(said));
    assert.match(logged, /an authorizer answers \{ verdict, reason \}, where verdict is one of allow, deny, noOpinion/);
  }
  assert.match((await asked({ verdict: 'deny' })).message, /in the namespace "default"$/);
});

test('rules that an authorizer of the program lists in another form, or fails at, are named to the client, and a rejection ends no process', async () => {
  const review = { method: 'POST', path: '/apis/authorization.orch.io/v1/selfsubjectrulesreviews', headers: { authorization: 'Bearer tb', 'content-type': 'application/json' }, body: '{"spec":{"namespace":"a"}}' };
  const asked = async (rulesOf: () => unknown): ReturnType<typeof tried> =>
    tried({ authorization: { authorizers: [{ authorize: () => ({ verdict: 'allow', reason: '' }), rulesOf: rulesOf as () => { rules: []; isIncomplete: false } }] } }, review);
  const fail = (): never => {
    throw new Error('the directory is away');
  };
  const faults: readonly (readonly [rulesOf: () => unknown, why: RegExp])[] = [
    [fail, /the directory is away/],
    [async () => fail(), /it returns at once, and returned a promise/],
    [() => true, /answers \{ rules, isIncomplete \}/],
    [() => [{ verbs: ['get'] }], /answers \{ rules, isIncomplete \}/],
    [() => ({ rules: [{ resources: ['pods'] }], isIncomplete: false }), /each rule has a list of verbs/],
  ];
  for (const [rulesOf, why] of faults) {
    const { status, message, logged } = await asked(rulesOf);
    assert.deepEqual([status, message], [500, 'Internal error occurred: rulesOf of authorization.authorizers[0] failed'], String(why));
    assert.match(logged, why);
  }
  for (const rulesOf of [() => ({ rules: [{ verbs: ['get'] }], isIncomplete: false }), () => undefined]) assert.equal((await asked(rulesOf)).status, 201);
});

test('an admission plugin of the program that fails is named to the client, and the log says where; what it refuses is a refusal', async () => {
  const create = { method: 'POST', path: READ.path, headers: { authorization: 'Bearer secret', 'content-type': 'application/json' }, body: '{"metadata":{"name":"a"}}' };
  const asked = async (hooks: Pick<AdmissionHooks, 'mutate' | 'validate'>): ReturnType<typeof tried> =>
    tried({ admission: { plugins: [definePlugin({ name: 'Teams', enabled: true, band: 'builtin', create: () => ({ on: ['CREATE'], kinds: ['/configmaps'], ...hooks }) })] } }, create);
  const fail = (): never => {
    throw new Error('the team is lost');
  };
  for (const hooks of [{ mutate: fail }, { validate: fail }, { mutate: async () => fail() }, { validate: async () => fail() }]) {
    const { status, message, logged } = await asked(hooks);
    assert.deepEqual([status, message], [500, 'Internal error occurred: admission plugin "Teams" failed']);
    assert.match(logged, /admission plugin \\"Teams\\" failed.*the team is lost.*of-the-program\.test/);
  }
  const refused = await asked({
    async validate(request) {
      throw refuse(request, 'it belongs to no team');
    },
  });
  assert.deepEqual([refused.status, refused.message, refused.logged], [403, 'configmaps "a" is forbidden: it belongs to no team', '']);
  const broken = definePlugin({ name: 'Teams', enabled: true, band: 'builtin', create: fail });
  await assert.rejects(startServer({ ...OPTIONS, admission: { plugins: [broken] } }), { message: 'admission plugin "Teams" cannot be made: the team is lost' });
});

test('an embedding program takes audit events as its own', async () => {
  const events: AuditEvent[] = [];
  let closed = 0;
  const sink = { name: 'own', deliver: async (some: readonly AuditEvent[]) => void events.push(...some), close: async () => void closed++ };
  const policy = 'apiVersion: audit.orch.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{ level: Metadata, users: [team-a] }]';
  const server = await startServer({ ...OPTIONS, audit: { policy, sinks: [{ sink }] } });
  await ask(server, { cookie: 'session=team-a' });
  await ask(server, { authorization: 'Bearer secret' });
  await server.close();
  assert.deepEqual(
    events.map(({ user, verb, objectRef, responseStatus }) => [user.username, verb, objectRef?.namespace, responseStatus?.code]),
    [['team-a', 'list', 'team-a', 200]],
  );
  assert.equal(closed, 1);
});
