import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '#errors';
import type { Received } from '#request';
import { staticToken } from './methods/static-token.ts';

const asking = (authorization?: string): Received =>
  ({ headers: new Map(authorization === undefined ? [] : [['authorization', [authorization]]]) }) as unknown as Received;

const FILE = 'one,alice,u1,"dev, ops"\n\n"two",bob,\r\nthree,"o""hara",u3\n';

test('a token of the file is its user, with uid and groups where there are any', async () => {
  const method = staticToken(FILE);
  const who = async (token: string): Promise<unknown> => (await method.authenticate(asking(`Bearer ${token}`)))?.user;
  assert.deepEqual(await who('one'), { name: 'alice', uid: 'u1', groups: ['dev', 'ops'] });
  assert.deepEqual(await who('two'), { name: 'bob', groups: [] });
  assert.deepEqual(await who('three'), { name: 'o"hara', uid: 'u3', groups: [] });
});

test('other credentials are not its business; a bearer token it does not know is refused', async () => {
  const method = staticToken(FILE);
  for (const header of [undefined, '', 'Basic b25l', 'Bearer', 'Bearer ', 'one']) assert.equal(await method.authenticate(asking(header)), undefined);
  for (const token of ['nobody', 'on', 'ones', 'One', '__proto__', 'constructor']) {
    await assert.rejects(method.authenticate(asking(`Bearer ${token}`)), (thrown) => thrown instanceof ApiError && thrown.code === 401);
  }
});

test('a line that cannot be read is named', () => {
  for (const bad of ['token', 'token,user', ',user,uid', 'token,,uid']) assert.throws(() => staticToken(`a,b,c\n${bad}`), /line 2/);
});
