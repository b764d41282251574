import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTurns } from '#base';
import { brokenInto } from './judge.ts';

/** Turns count here, and not the time of a machine that has other things to do. */
const server = brokenInto({ serving: { requestTimeoutMs: 600_000 } });
const PATH = '/api/v1/namespaces/default/configmaps';
/** So many members that each step of a write takes long, and fewer. */
const [MANY, FEW] = [60_000, 3];
const CLIENTS = 6;
/** A write of a long object gives way at least so often: before it is read, after that, after its owners are found, and after it is validated. */
const STEPS = 4;

const objects = (prefix: string, members: number): readonly object[] =>
  Array.from({ length: CLIENTS }, (_, at) => ({ metadata: { name: `${prefix}${at}` }, data: Object.fromEntries(Array.from({ length: members }, (_, n) => [`k${n}`, 'v'])) }));

const turnsOf = (some: readonly object[], send: (object: object) => Promise<{ readonly status: number }>): Promise<number> =>
  countTurns(async () => {
    for (const { status } of await Promise.all(some.map(send))) assert.ok(status < 300, String(status));
  });

test('large objects that many write at once leave turns to others between any two steps', async () => {
  const { request } = server();
  const send = (object: object): ReturnType<typeof request> => request('POST', PATH, object);
  const few = await turnsOf(objects('few', FEW), send);
  const many = await turnsOf(objects('many', MANY), send);
  assert.ok(many - few >= CLIENTS * (STEPS - 1), `${many} turns beside ${few}`);
});
