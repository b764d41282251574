import assert from 'node:assert/strict';
import { test } from 'node:test';
import { staticTokens } from './methods/static-token.ts';

const FILE = 'one,alice,u1,"dev, ops"\n\n"two",bob,\r\nthree,"o""hara",u3\n';
const OWN = ['https://here'];
const QUESTION = { audiences: OWN, annotate: () => {} };

test('a token of the file is its user, with uid and groups where there are any', async () => {
  const method = staticTokens(FILE, OWN);
  const who = async (token: string): Promise<unknown> => method.authenticateToken(token, QUESTION);
  assert.deepEqual(await who('one'), { user: { name: 'alice', uid: 'u1', groups: ['dev', 'ops'] }, audiences: OWN });
  assert.deepEqual(await who('two'), { user: { name: 'bob', groups: [] }, audiences: OWN });
  assert.deepEqual(await who('three'), { user: { name: 'o"hara', uid: 'u3', groups: [] }, audiences: OWN });
});

test('a token it does not know, or that is asked about for others, is nobody', async () => {
  const method = staticTokens(FILE, OWN);
  for (const token of ['nobody', 'on', 'ones', 'One', '__proto__', 'constructor']) assert.equal(await method.authenticateToken(token, QUESTION), undefined);
  assert.equal(await method.authenticateToken('one', { ...QUESTION, audiences: ['https://elsewhere'] }), undefined);
});

test('a line that cannot be read is named', () => {
  for (const bad of ['token', 'token,user', ',user,uid', 'token,,uid', 'token,user,uid,"g,h', 'token,user,uid,g"', 'token,us"er,uid', '"token"x,user,uid']) assert.throws(() => staticTokens(`a,b,c\n${bad}`, OWN), /line 2/);
});
