import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { silentLog } from '#base';
import type { TokenAuthenticator } from '#request';
import { staticTokens } from './methods/static-token.ts';

const FILE = 'one,alice,u1,"dev, ops"\n\n"two",bob,\r\nthree,"o""hara",u3,dev\n';
const OWN = ['https://here'];
const QUESTION = { audiences: OWN, annotate: () => {} };
const open = (file: string): TokenAuthenticator => staticTokens(file, { log: silentLog, audiences: OWN });

test('a token of the file is its user, with uid and groups where there are any', async () => {
  const method = open(FILE);
  const who = async (token: string): Promise<unknown> => method.authenticateToken(token, QUESTION);
  // A space is part of what it stands beside.
  assert.deepEqual(await who('one'), { user: { name: 'alice', uid: 'u1', groups: ['dev', ' ops'] }, audiences: OWN });
  assert.deepEqual(await who('two'), { user: { name: 'bob', groups: [] }, audiences: OWN });
  assert.deepEqual(await who('three'), { user: { name: 'o"hara', uid: 'u3', groups: ['dev'] }, audiences: OWN });
});

test('a token it does not know, or that is asked about for others, is nobody', async () => {
  const method = open(FILE);
  for (const token of ['', 'nobody', 'on', 'ones', 'One', '__proto__', 'constructor']) {
    for (const audiences of [OWN, [...OWN, 'https://elsewhere']]) assert.equal(await method.authenticateToken(token, { ...QUESTION, audiences }), undefined);
  }
  assert.equal(await method.authenticateToken('one', { ...QUESTION, audiences: ['https://elsewhere'] }), undefined);
});

test('of a token that is valid for several, those are told that were asked about', async () => {
  const method = staticTokens(FILE, { log: silentLog, audiences: ['here', 'there'] });
  const said = await method.authenticateToken('two', { ...QUESTION, audiences: ['elsewhere', 'there'] });
  assert.deepEqual(said, { user: { name: 'bob', groups: [] }, audiences: ['there'] });
});

test('a record without a token is skipped, and the last one of a token counts: both are told with their line, and no token is', async () => {
  const warned: unknown[] = [];
  const log = { ...silentLog, warn: (...words: unknown[]) => void warned.push(words) };
  const method = staticTokens('"",nobody,1\nsecret,"al\r\nice",2\n\n,nobody,3,dev\nsecret,bob,,dev\nother,,4', { log, audiences: OWN });
  const who = async (token: string): Promise<unknown> => (await method.authenticateToken(token, QUESTION))?.user;
  assert.deepEqual([await who('secret'), await who('other'), await who('')], [{ name: 'bob', groups: ['dev'] }, { name: '', uid: '4', groups: [] }, undefined]);
  assert.deepEqual(warned, [
    ['a record of the token file has no token and is skipped', { line: 1 }],
    ['a record of the token file has no token and is skipped', { line: 5 }],
    ['a token is in the token file again: the user of its last record has it', { line: 6 }],
  ]);
});

test('what CSV can hold comes back: commas, quotes and lines', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ' ', ',', '"', '\n', 'é') });
  const written = (text: string, isBare: boolean): string => (isBare && !/[",\n]/.test(text) ? text : `"${text.replaceAll('"', '""')}"`);
  fc.assert(
    fc.property(fc.array(fc.record({ name: cell, groups: cell, isBare: fc.boolean() })), fc.constantFrom('\n', '\r\n'), fc.boolean(), (people, end, isEnded) => {
      const lines = people.map(({ name, groups, isBare }, at) => [`t${at}`, name, 'uid', groups].map((text) => written(text, isBare)).join(','));
      const method = open(lines.join(end) + (isEnded ? end : ''));
      people.forEach(({ name, groups }, at) =>
        assert.deepEqual(method.authenticateToken(`t${at}`, QUESTION), { user: { name, uid: 'uid', groups: groups.split(',') }, audiences: OWN }),
      );
    }),
  );
});

test('a line that cannot be read is named', () => {
  const bad = ['token', 'token,user', ' ', 'token,user,uid,"g,h', 'token,user,uid,g"', 'token,us"er,uid', '"token"x,user,uid', 'token,user,uid, "g"'];
  for (const line of bad) assert.throws(() => open(`"a\nb",b,c\n${line}\nd,e,f`), /^Error: token file, line 3: expected token,user,uid/, line);
});
