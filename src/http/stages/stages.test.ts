import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SetClock, systemClock } from '#base';
import { conflict, internalError, OutsideFailure, serviceUnavailable, tooManyRequests, type Status } from '#errors';
import { chain, requestInfoStage, type Received, type Reply, type Routed } from '#request';
import { errorReply } from '../error-reply.ts';
import { exchange } from '../in-process.ts';
import type { LocalResponse } from '../local-exchange.ts';
import type { LocalRequest } from '../local-request.ts';
import { accessLog } from './access-log.ts';
import { cors } from './cors.ts';
import { deadline } from './deadline.ts';
import { recover } from './recover.ts';
import { securityHeaders } from './security-headers.ts';

const ok: Reply = { status: 200, headers: { 'content-type': 'text/plain' }, body: new TextEncoder().encode('ok') };
const lines: unknown[][] = [];
const note = (...line: unknown[]): void => void lines.push(line);
const log = { info: note, warn: note, error: note };

/** All stages of this folder in their real order. */
const ask = (request: LocalRequest, last: (context: Routed) => Promise<Reply>, defaultMs?: number): Promise<LocalResponse> =>
  exchange(
    chain<Received, Received>(securityHeaders())
      .through(cors<Received>({ allowedOrigins: [/^https:\/\/console\.test$/] }))
      .through(accessLog({ log, clock: systemClock, slowMs: 1_000 }))
      .through(recover({ log }))
      .through(requestInfoStage)
      .through(deadline(defaultMs === undefined ? {} : { defaultMs }))
      .end(last),
    request,
  );

const status = (answer: LocalResponse): Status => {
  assert.ok('body' in answer);
  return JSON.parse(new TextDecoder().decode(answer.body)) as Status;
};

test('every answer carries an audit id and may not be cached by others', async () => {
  const plain = await ask({ path: '/x' }, () => Promise.resolve(ok));
  assert.equal(plain.headers['cache-control'], 'no-cache, private');
  assert.match(plain.headers['audit-id'] ?? '', /^[0-9a-f-]{36}$/);
  const named = await ask({ path: '/x', headers: { 'Audit-Id': 'mine-1' } }, () => Promise.reject(new Error('boom')));
  assert.deepEqual([named.status, named.headers['audit-id']], [500, 'mine-1']);
  const insane = await ask({ path: '/x', headers: { 'Audit-Id': 'x'.repeat(65) } }, () => Promise.resolve(ok));
  assert.match(insane.headers['audit-id'] ?? '', /^[0-9a-f-]{36}$/);
});

test('R7-33 an ApiError becomes its Status, with Retry-After where it says so', async () => {
  const lost = await ask({ path: '/x' }, () => Promise.reject(conflict({ group: '', resource: 'configmaps' }, 'a', 'changed')));
  assert.deepEqual([lost.status, lost.headers['content-type'], lost.headers['retry-after']], [409, 'application/json', undefined]);
  assert.deepEqual(status(lost), conflict({ group: '', resource: 'configmaps' }, 'a', 'changed').toStatus());
  const busy = await ask({ path: '/x' }, () => Promise.reject(tooManyRequests('later', 10)));
  assert.deepEqual([busy.status, busy.headers['retry-after']], [429, '10']);
});

test('an encoder that fails does not take the error with it', async () => {
  const answer = await exchange((received) => Promise.resolve(errorReply(tooManyRequests('later', 1), received, {
    log,
    encode: () => {
      throw new Error('no such encoding');
    },
  })), { path: '/' });
  assert.equal(status(answer).reason, 'TooManyRequests');
});

test('failing requests are logged without query and headers', async () => {
  lines.length = 0;
  await ask({ path: '/x?token=hush', headers: { authorization: 'Bearer hush' } }, () => Promise.reject(new Error('boom')));
  const text = JSON.stringify(lines);
  assert.match(text, /"status":500/);
  assert.doesNotMatch(text, /hush/);
  lines.length = 0;
  await ask({ path: '/x' }, () => Promise.resolve(ok));
  assert.deepEqual(lines, []);
});

test('a request that is refused on its way in is logged where that is a failure, with the status it gets', async () => {
  const logged = async (refusal: Error): Promise<readonly unknown[]> => {
    lines.length = 0;
    const all = chain<Received, Received>(recover({ log })).through(accessLog({ log, clock: systemClock, slowMs: 60_000 })).end(() => Promise.reject(refusal));
    await exchange(all, { path: '/x' });
    return lines.filter(([said]) => said === 'request').map(([, fields]) => (fields as { readonly status: number }).status);
  };
  assert.deepEqual(await logged(tooManyRequests('later', 10)), []);
  assert.deepEqual(await logged(serviceUnavailable('later')), [503]);
  assert.deepEqual(await logged(new Error('boom')), [500]);
});

test('what somebody else failed at is told without a place in the code; whatever else lies behind an answer of 500, with one', async () => {
  const behind = async (cause: Error): Promise<unknown> => {
    lines.length = 0;
    assert.equal((await ask({ path: '/x' }, () => Promise.reject(internalError('the webhook "w" did not answer', cause)))).status, 500);
    return lines.find(([said]) => !String(said).startsWith('request answered'));
  };
  const [message, fields] = (await behind(new OutsideFailure('cannot reach https://a'))) as [string, Record<string, string>];
  assert.equal(message, 'a request failed at somebody whom the server asked');
  assert.equal(fields['why'], 'Internal error occurred: the webhook "w" did not answer');
  assert.equal('error' in fields, false);
  assert.match(JSON.stringify(await behind(new Error('boom'))), /request failed unexpectedly.*stages\.test/);
});

test('a request that takes too long is answered with 504 and its work is told to stop', async () => {
  let stopped = false;
  const forever = (context: Routed): Promise<Reply> =>
    new Promise(() => {
      context.signal.addEventListener('abort', () => {
        stopped = true;
      });
    });
  const late = await ask({ path: '/api/v1/pods?timeout=20ms' }, forever);
  assert.deepEqual([late.status, status(late).reason, stopped], [504, 'Timeout', true]);
  const capped = await ask({ path: '/api/v1/pods?timeout=1h' }, forever, 20);
  assert.equal(capped.status, 504);
});

test('deadlines: nonsense is refused, watches have none', async () => {
  assert.equal((await ask({ path: '/x?timeout=soon' }, () => Promise.resolve(ok))).status, 400);
  const slow = (): Promise<Reply> => new Promise((resolve) => setTimeout(() => resolve(ok), 60));
  for (const none of ['', '0s', '-1s']) assert.equal((await ask({ path: `/x?timeout=${none}` }, slow)).status, 200, none);
  assert.equal((await ask({ path: '/api/v1/pods?watch=1' }, slow, 10)).status, 200);
});

test('only allowed origins may call from a page', async () => {
  const allowed = await ask({ path: '/x', headers: { Origin: 'https://console.test' } }, () => Promise.resolve(ok));
  assert.equal(allowed.headers['access-control-allow-origin'], 'https://console.test');
  assert.equal(allowed.headers['vary'], 'Origin');
  const varying = await ask({ path: '/x', headers: { Origin: 'https://console.test' } }, async () => ({ ...ok, headers: { vary: 'Accept' } }));
  assert.equal(varying.headers['vary'], 'Origin, Accept');
  const other = await ask({ path: '/x', headers: { Origin: 'https://console.test.evil' } }, () => Promise.resolve(ok));
  assert.equal(other.headers['access-control-allow-origin'], undefined);
  const preflight = await ask({ method: 'OPTIONS', path: '/x', headers: { Origin: 'https://console.test' } }, () => assert.fail('ends before'));
  assert.equal(preflight.status, 204);
});

test('how long a request took, and may take, is measured by a clock that nobody sets', async () => {
  const clock = new SetClock();
  const slow: unknown[] = [];
  const told = { ...log, info: (_text: string, { path, tookMs }: { readonly path?: unknown; readonly tookMs?: unknown } = {}) => void slow.push([path, tookMs]) };
  const deadlines: (number | undefined)[] = [];
  const handle = chain<Received, Received>(accessLog({ log: told, clock, slowMs: 1_000 }))
    .through(requestInfoStage)
    .through(deadline())
    .end((context) => {
      deadlines.push(context.deadlineAt);
      clock.put(context.path === '/put' ? 24 * 3_600_000 : -48 * 3_600_000);
      if (context.path === '/late') clock.turn(2_000);
      return Promise.resolve(ok);
    });
  const startedMs = clock.steady.nowMs();
  for (const path of ['/put', '/late']) await exchange(handle, { path }, { clock });
  assert.deepEqual(slow, [['/late', 2_000]]);
  assert.deepEqual(deadlines, [startedMs + 60_000, startedMs + 60_000]);
});
