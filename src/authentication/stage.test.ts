import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { ApiError, unauthorized } from '#errors';
import type { Authenticator, Found, Identified, Reply, Routed } from '#request';
import { authenticationStage, type Authentication } from './stage.ts';

const DONE: Reply = { status: 200, headers: {}, body: new Uint8Array(0) };
const named = (name: string): { readonly user: { readonly name: string; readonly groups: readonly string[] } } => ({ user: { name, groups: [] } });
const method = (authenticate: () => Found): Authenticator => ({ name: 'one', authenticate });
const refuses = (): never => {
  throw unauthorized();
};
const breaks = (): never => {
  throw new RangeError('broken');
};

let atMs = 1000;
beforeEach(() => void mock.method(performance, 'now', () => (atMs += 3)));
afterEach(() => mock.restoreAll());

/** Each way to answer, at once and later. */
const BOTH = [(answer: () => Found) => method(answer), (answer: () => Found) => method(async () => answer())] as const;

/** Whom the request goes on as, what the observer heard, or what was thrown. */
async function outcome(authentication: Authentication): Promise<string> {
  const heard: string[] = [];
  const stage = authenticationStage(authentication, {
    known: ({ name }, tookMs) => void heard.push(`known ${name} after ${tookMs}`),
    unknown: (tookMs) => void heard.push(`unknown after ${tookMs}`),
    failed: (tookMs) => void heard.push(`failed after ${tookMs}`),
  });
  const seen: string[] = [];
  const next = async ({ user }: Identified): Promise<Reply> => {
    seen.push(`${user.name} of ${user.groups.join()}`);
    return DONE;
  };
  const end = await stage({} as Routed, next).then(
    () => 'answered',
    (thrown: unknown) => (thrown instanceof ApiError ? thrown.reason : String(thrown)),
  );
  return [...seen, end, ...heard].join('; ');
}

test('the first who knows decides, whether those before look at once or later', async () => {
  for (const early of BOTH) {
    for (const late of BOTH) {
      const methods = [early(() => undefined), late(() => named('a')), early(() => named('b'))];
      assert.equal(await outcome({ methods }), 'a of system:authenticated; answered; known a after 3');
    }
  }
});

test('whose name stands for nobody is no member of those who are known, however it was proved', async () => {
  assert.equal(await outcome({ methods: [method(() => named('system:anonymous'))] }), 'system:anonymous of ; answered; known system:anonymous after 3');
  const unknown = { user: { name: 'a', groups: ['system:unauthenticated'] } };
  assert.equal(await outcome({ methods: [method(() => unknown)] }), 'a of system:unauthenticated; answered; known a after 3');
});

test('who refuses does not stop the others, and keeps anonymous out', async () => {
  const anonymous = method(() => named('nobody'));
  for (const early of BOTH) {
    for (const late of BOTH) {
      assert.equal(await outcome({ methods: [early(refuses), late(() => named('a'))] }), 'a of system:authenticated; answered; known a after 3');
      assert.equal(await outcome({ methods: [early(refuses), late(() => undefined)], anonymous }), 'Unauthorized; failed after 3');
      assert.equal(await outcome({ methods: [early(() => undefined), late(() => undefined)], anonymous }), 'nobody of system:authenticated; answered; known nobody after 3');
      assert.equal(await outcome({ methods: [early(() => undefined), late(() => undefined)] }), 'Unauthorized; unknown after 3');
    }
  }
});

test('what is no refusal ends the request, and nobody else is asked', async () => {
  for (const early of BOTH) {
    assert.equal(await outcome({ methods: [early(breaks), method(() => named('a'))] }), 'RangeError: broken; failed after 3');
  }
});

test('why credentials are refused is told where nobody accepts any, the first reason of several', async () => {
  const told: unknown[] = [];
  const note = (why: string, from?: string): void => void told.push([why, from]);
  const methods = (...reasons: readonly (string | undefined)[]): readonly Authenticator[] => reasons.map((why) => method(() => {
    throw unauthorized(why);
  }));
  const ask = (all: readonly Authenticator[]): Promise<unknown> => authenticationStage({ methods: all, note })({ remoteAddress: '10.0.0.1' } as Routed, async () => DONE).catch((thrown: ApiError) => thrown.message);
  assert.equal(await ask(methods(undefined)), 'Unauthorized');
  assert.equal(await ask([...methods('ended'), method(() => named('a'))]), DONE);
  assert.deepEqual(told, []);
  assert.equal(await ask(methods(undefined, 'ended', 'unknown', undefined)), 'Unauthorized');
  assert.deepEqual(told, [['ended', '10.0.0.1']]);
});
