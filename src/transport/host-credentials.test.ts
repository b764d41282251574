import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readHostCredentials } from './host-credentials.ts';

const folder = mkdtempSync(join(tmpdir(), 'orch-credentials-'));
after(() => rmSync(folder, { recursive: true }));

const CURRENT = { 'current-context': 'x', contexts: [{ name: 'x', context: { cluster: 'gone', user: 'own' } }] };

/** The token for each of these hosts, where the token of each user is named after the user. */
async function tokensFor(hosts: readonly string[], users: readonly string[], more: object = {}): Promise<readonly (string | undefined)[]> {
  const file = join(folder, 'config');
  writeFileSync(file, JSON.stringify({ ...more, users: users.map((name) => ({ name, user: { token: `token-of-${name}` } })) }));
  const credentialsOf = await readHostCredentials(file);
  return Promise.all(hosts.map(async (host) => (await credentialsOf(host).token?.())?.replace('token-of-', '')));
}

for (const { what, users, told } of [
  { what: 'its name and port', users: ['a.b.c:8443', '*.b.c:8443', '*'], told: { 'a.b.c:8443': 'a.b.c:8443', 'a.b.c:443': '*', 'a.b.c:84430': '*', 'x.a.b.c:8443': '*.b.c:8443' } },
  { what: 'its name, which is the one at port 443', users: ['a.b.c'], told: { 'a.b.c:443': 'a.b.c', 'a.b.c:8443': undefined, 'b.c:443': undefined } },
  { what: 'the nearest of its domains', users: ['*.c', '*.b.c'], told: { 'a.b.c:443': '*.b.c', 'x.a.b.c:443': '*.b.c', 'a.x.c:443': '*.c', 'b.c:443': '*.c', 'c:443': undefined, 'bb.cc:443': undefined } },
  { what: 'a domain at its port, before its name alone', users: ['a.b.c', '*.b.c:443'], told: { 'a.b.c:443': '*.b.c:443' } },
]) {
  test(`a host is shown the credentials of the user that is called by ${what}`, async () => {
    assert.deepEqual(await tokensFor(Object.keys(told), users), Object.values(told));
  });
}

test('a host that no user is called by is shown the credentials for all, or those of the current context, or none', async () => {
  const host = ['a.b.c:443'];
  assert.deepEqual(await tokensFor(host, ['own', '*', 'other'], CURRENT), ['*']);
  assert.deepEqual(await tokensFor(host, ['own', 'other'], CURRENT), ['own']);
  assert.deepEqual(await tokensFor(host, ['other'], CURRENT), [undefined]);
  assert.deepEqual(await tokensFor(host, ['own', 'other']), [undefined]);
  assert.deepEqual(await tokensFor(host, ['own'], { 'current-context': 'gone' }), [undefined]);
});
