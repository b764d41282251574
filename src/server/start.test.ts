import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { deferred, nextTurn, StillClock } from '#base';
import type { Authorizer } from '#request';
import { openEngine, StorageFailure, type Engine } from '#storage';
import { passing } from '#test-support';
import { startServer, startServerOn, type RunningServer } from './start.ts';

/** What would keep the process alive or shows that something is open. */
const active = (): readonly string[] => process.getActiveResourcesInfo().filter((name) => !PASSING.has(name)).sort();

/** Gone by themselves at the end of the turn, or with a module that is loaded when it is needed. */
const PASSING: ReadonlySet<string> = new Set(['Immediate', 'CloseReq', 'TickObject', 'FSReqPromise']);

/** Handles are gone two turns of the loop after their owner has closed them. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** The code of an answer, once the connection it came on is closed. */
function ask(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false }, (answer) => {
      answer.resume();
      request.on('close', () => resolve(answer.statusCode));
    });
    request.on('error', reject);
  });
}

/** Fails where something is open after `run` that was not before. */
async function leavesNothing(run: () => Promise<void>): Promise<void> {
  await turns();
  const before = active();
  await run();
  await turns();
  const left = [...active()];
  for (const name of before) if (left.includes(name)) left.splice(left.indexOf(name), 1);
  assert.deepEqual(left, []);
}

test('without a socket a server opens nothing that keeps the process alive, and answers', () =>
  leavesNothing(async () => {
    const before = active();
    const server = await startServer({ listen: false });
    assert.deepEqual([server.url, server.port], [undefined, undefined]);
    assert.deepEqual(active(), before);
    assert.equal((await server.exchange({ path: '/readyz' })).status, 200);
    await server.close();
  }));

test('a start and a close keep the process alive: what they wait for may not, as a member of a store that waits to be told of its head', async () => {
  const held: boolean[] = [];
  const timers = (): number => active().filter((name) => name === 'Timeout').length;
  const store = await openEngine('memory://');
  const before = timers();
  const note = <T>(work: T): T => {
    held.push(timers() > before);
    return work;
  };
  const watched: Engine = { ...passing(store), scan: (asked) => note(store.scan(asked)), close: () => note(store.close()) };
  const server = await startServerOn(watched, { listen: false });
  assert.ok(held.length > 0);
  assert.equal(timers(), before);
  await server.close();
  assert.ok(held.every(Boolean), held.join());
  assert.equal(timers(), before);
});

test('with a socket it listens on a free port, and after close nothing is left', () =>
  leavesNothing(async () => {
    const [one, other] = await Promise.all([startServer(), startServer()]);
    assert.notEqual(one.port, other.port);
    assert.equal(await ask(`${one.url}/readyz`), 200);
    await Promise.all([one.close(), other.close()]);
    await assert.rejects(ask(`${one.url}/readyz`), /ECONNREFUSED/);
  }));

test('close ends watches that are open', async () => {
  const server = await startServer({ listen: false, tokens: 't,admin,u,"system:masters"', shutdownGraceMs: 1000 });
  const answer = await server.exchange({ path: '/api/v1/configmaps?watch=1', headers: { authorization: 'Bearer t' } });
  assert.ok('stream' in answer);
  const reading = (async () => {
    for await (const _ of answer.stream);
  })();
  await server.close();
  await reading;
});

/** A server whose audit events and the end of their sink are noted in order, and whose decision about `late` is to be waited for. */
async function startNoting(shutdownGraceMs: number): Promise<{ server: RunningServer; noted: readonly string[]; asked: Promise<void>; allow: () => void }> {
  const noted: string[] = [];
  const [asked, allowed] = [deferred<void>(), deferred<void>()];
  const sink = {
    name: 'noting',
    deliver: async (events: readonly { readonly stage: string; readonly verb: string }[]) => void noted.push(...events.map(({ stage, verb }) => `${verb} ${stage}`)),
    close: async () => void noted.push('closed'),
  };
  const authorizer: Authorizer = {
    async authorize({ name }) {
      if (name === 'late') {
        asked.resolve();
        await allowed.promise;
      }
      return { verdict: 'allow', reason: '' };
    },
    rulesOf: () => ({ rules: [], isIncomplete: false }),
  };
  const policy = 'apiVersion: audit.orch.io/v1\nkind: Policy\nomitStages: [RequestReceived, ResponseStarted]\nrules: [{ level: Metadata }]';
  const audit = { policy, sinks: [{ sink, mode: 'blocking' as const }] };
  const server = await startServer({ listen: false, tokens: 't,u,u', authorization: { authorizers: [authorizer] }, audit, shutdownGraceMs });
  return { server, noted, asked: asked.promise, allow: () => allowed.resolve() };
}

const asUser = { authorization: 'Bearer t', 'content-type': 'application/json' };

test('close waits for requests without a socket as for others, and their audit events come before the end of the sink', async () => {
  const { server, noted, asked, allow } = await startNoting(60_000);
  const watch = await server.exchange({ path: '/api/v1/configmaps?watch=1', headers: asUser });
  assert.ok('stream' in watch);
  const late = server.exchange({ path: '/api/v1/namespaces/default/configmaps/late', headers: asUser });
  await asked;
  const closed = server.close();
  for await (const _ of watch.stream);
  assert.deepEqual(noted, ['watch ResponseComplete']);
  allow();
  assert.equal((await late).status, 404);
  await closed;
  assert.deepEqual(noted, ['watch ResponseComplete', 'get ResponseComplete', 'closed']);
});

test('what close waits for in vain answers 503, and no event follows the end of its sink', async () => {
  const { server, noted, asked, allow } = await startNoting(0);
  const late = server.exchange({ path: '/api/v1/namespaces/default/configmaps/late', headers: asUser });
  await asked;
  await server.close();
  assert.equal((await late).status, 503);
  allow();
  await turns();
  assert.deepEqual(noted, ['closed']);
});

/** Requests that different stages and rooms answer, one of them without the store. */
const ASKED_AFTER_CLOSE = [
  ['GET', '/version'],
  ['GET', '/api'],
  ['GET', '/apis'],
  ['GET', '/livez'],
  ['GET', '/openapi/v2'],
  ['GET', '/metrics'],
  ['GET', '/nowhere'],
  ['GET', '/api/v1/namespaces/default/configmaps?watch=1'],
  ['POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'late' } }],
  ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } }],
] as const;

test('every request that begins after close answers the same 503, also while close is under way and without credentials', async () => {
  const server = await startServer({ listen: false, dialect: 'kubernetes', tokens: 't,admin,u,"system:masters"' });
  const askAll = async (authorization: string): Promise<(readonly [number, unknown])[]> =>
    Promise.all(
      ASKED_AFTER_CLOSE.map(async ([method, path, body]) => {
        const headers = { authorization, 'content-type': 'application/json' };
        const answer = await server.exchange({ method, path, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
        return [answer.status, 'body' in answer ? JSON.parse(new TextDecoder().decode(answer.body)) : 'a stream'] as const;
      }),
    );
  const closed = server.close();
  const answers = await askAll('Bearer t');
  await closed;
  answers.push(...(await askAll('Bearer t')), ...(await askAll('Bearer nobody')));
  const message = 'this server was closed and answers no requests any more; start another one';
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason: 'ServiceUnavailable', code: 503 };
  for (const answer of answers) assert.deepEqual(answer, [503, status]);
});

test('while close delays its beginning for load balancers, requests are answered', async () => {
  const clock = new StillClock();
  const server = await startServer({ listen: false, shutdownDelayMs: 1_000, clock });
  const closed = server.close();
  assert.equal((await server.exchange({ path: '/livez' })).status, 200);
  assert.equal((await server.exchange({ path: '/readyz' })).status, 500);
  clock.turn(1_000);
  await closed;
  assert.equal((await server.exchange({ path: '/livez' })).status, 503);
});

test('after the delay for load balancers a connection that is in use is told of its end with an answer, and none of its requests is lost', { timeout: 30_000 }, async () => {
  const clock = new StillClock();
  const server = await startServer({ shutdownDelayMs: 1_000, clock });
  const socket = connect(server.port!, '127.0.0.1');
  const ask = async (): Promise<string> => {
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    const [answer] = (await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => ['closed'])])) as [Buffer | string];
    return String(answer);
  };
  assert.match(await ask(), /^HTTP\/1\.1 200 OK/);
  const closed = server.close();
  clock.turn(1_000);
  let last = await ask();
  while (/^HTTP\/1\.1 200 OK\r\n[^]*\r\nconnection: keep-alive\r\n/i.test(last)) last = await ask();
  assert.match(last, /^HTTP\/1\.1 200 OK\r\n[^]*\r\nconnection: close\r\n/i);
  await closed;
});

test('on disk a server leaves nothing open, and what it stored is there at the next start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orch-start-'));
  const options = { listen: false, store: `lmdb://${folder}`, tokens: 't,admin,u,"system:masters"' } as const;
  const headers = { authorization: 'Bearer t', 'content-type': 'application/json' };
  const first = await startServer(options);
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kept' } });
  assert.equal((await first.exchange({ method: 'POST', path: '/api/v1/namespaces/default/configmaps', headers, body })).status, 201);
  await first.close();
  const second = await startServer(options);
  assert.equal((await second.exchange({ path: '/api/v1/namespaces/default/configmaps/kept', headers })).status, 200);
  await second.close();
  rmSync(folder, { recursive: true });
});

test('a server that cannot start says why and leaves nothing', () =>
  leavesNothing(async () => {
    await assert.rejects(startServer({ store: 'nowhere://' }), /nowhere/);
    await assert.rejects(startServer({ dialect: 'klingon' as never }), /dialect is one of orch, kubernetes, not "klingon"/);
    await assert.rejects(startServer({ listen: { host: '0.0.0.0' } }), /loopback/);
    await assert.rejects(startServer({ listen: false, tokens: 'only-a-token' }), /line 1/);
    const holder = await startServer();
    await assert.rejects(startServer({ listen: { port: holder.port ?? 0 } }), /EADDRINUSE/);
    await holder.close();
  }));

test('what is audited gets to its place before a server has ended, also one that did not start; a server ends once', async () => {
  let ended = 0;
  const sink = { name: 'own', deliver: async () => {}, close: async () => void ended++ };
  const audit = { policy: 'apiVersion: audit.orch.io/v1\nkind: Policy\nrules: [{ level: Metadata }]', sinks: [{ sink }] };
  const holder = await startServer({ audit });
  await assert.rejects(startServer({ audit, listen: { port: holder.port ?? 0 } }), /EADDRINUSE/);
  assert.equal(ended, 1);
  await Promise.all([holder.close(), holder.close()]);
  await holder.close();
  assert.equal(ended, 2);
});

test('nobody listens before it is known which APIs other servers serve: for a moment they would not exist', async () => {
  const store = await openEngine('memory://');
  const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
  // Those of the test before this one are closed, and gone soon.
  await turns();
  const before = sockets();
  let listening: number | undefined;
  const watched: Engine = {
    ...passing(store),
    async scan(asked) {
      if (listening === undefined && asked.start.includes('/apiservices/') && asked.limit !== 1) {
        // A listener that begins beside this read would be there by then.
        await turns();
        listening = sockets() - before;
      }
      return store.scan(asked);
    },
  };
  const server = await startServerOn(watched);
  assert.deepEqual([listening, sockets() - before], [0, 1]);
  await server.close();
});

test('a start that fails leaves nobody who listens', () =>
  leavesNothing(async () => {
    const store = await openEngine('memory://');
    const refusing: Engine = { ...passing(store), commit: () => Promise.reject(new StorageFailure('unavailable', 'no writer')) };
    await assert.rejects(startServerOn(refusing), /not available|cannot make/);
  }));

test('servers that have ended leave no work behind that others would wait for', async () => {
  const body = JSON.stringify({ metadata: { name: 'a' } });
  for (let i = 0; i < 30; i++) {
    const server = await startServer({ listen: false, dialect: 'kubernetes', tokens: 'secret,admin,admin,"system:masters"' });
    await server.exchange({ method: 'POST', path: '/api/v1/namespaces/default/configmaps', headers: { authorization: 'Bearer secret', 'content-type': 'application/json' }, body });
    await server.close();
  }
  let passed = 0;
  let isOver = false;
  const count = (): void => {
    passed += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await nextTurn();
  isOver = true;
  assert.ok(passed < 10, `${passed} turns of the event loop passed`);
});
