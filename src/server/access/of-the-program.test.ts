import assert from 'node:assert/strict';
import { test } from 'node:test';
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
