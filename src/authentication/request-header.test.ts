import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Received } from '#request';
import { requestHeader } from './methods/request-header.ts';

const options = { usernameHeaders: ['X-User'], groupHeaders: ['X-Group', 'X-Team'], extraHeadersPrefixes: ['X-Extra-', 'X-More-'] };
const asking = (headers: Readonly<Record<string, readonly string[]>>): Received =>
  ({ headers: new Map(Object.entries(headers)), proxyCertificate: { commonName: 'front', organizations: [] } }) as unknown as Received;
const who = async (headers: Readonly<Record<string, readonly string[]>>): Promise<unknown> => (await requestHeader(options).authenticate(asking(headers)))?.user;

test('R5.6-04 all values of all group headers are groups', async () => {
  assert.deepEqual(await who({ 'x-user': ['a', 'b'], 'x-group': ['g', '', 'h'], 'x-team': ['i'] }), { name: 'a', groups: ['g', 'h', 'i'] });
});

test('R5.6-05 R5.6-06 R5.6-07 what stands behind a prefix is the key of an extra, percent-decoded, with all values', async () => {
  const user = await who({ 'x-user': ['a'], 'x-extra-scopes': ['one', 'two'], 'x-more-scopes': ['three'], 'x-extra-a%2fb%2Ec': ['v'], 'x-extra-%zz': ['w'] });
  assert.deepEqual(user, { name: 'a', groups: [], extra: { scopes: ['one', 'two', 'three'], 'a/b.c': ['v'], '%zz': ['w'] } });
});

test('keys that objects have by themselves are ordinary', async () => {
  const user = (await who({ 'x-user': ['a'], 'x-extra-__proto__': ['v'], 'x-extra-constructor': ['w'] })) as { readonly extra: object };
  assert.deepEqual(Object.entries(user.extra), [['__proto__', ['v']], ['constructor', ['w']]]);
  assert.equal(Object.getPrototypeOf(user.extra), Object.prototype);
});

test('without the certificate of a proxy nothing is looked at', async () => {
  const request = { headers: new Map([['x-user', ['a']]]) } as unknown as Received;
  assert.equal(await requestHeader(options).authenticate(request), undefined);
});
