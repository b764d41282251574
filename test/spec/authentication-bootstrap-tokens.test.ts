import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import { startTestServer, TurnedClock, type TestServer } from '#testing';
import { expect } from './world.ts';

const SECRET = '0123456789abcdef';

for (const dialect of DIALECTS) {
  describe(dialect, () => {
    const { names } = brandOf(dialect);
    const clock = new TurnedClock();
    const path = `/api/v1/namespaces/${names.systemNamespace}/secrets`;
    let server: TestServer;
    let count = 0;
    before(async () => {
      server = await startTestServer({ dialect, clock, controllers: 'none', authentication: { bootstrapTokens: true } });
    });
    after(() => server.close());

    /** Makes a token as it should be, but for what is given; answers with its id. */
    async function make(data: Readonly<Record<string, string | undefined>> = {}, type: string = names.bootstrapTokenSecret): Promise<string> {
      count += 1;
      const id = `aaaa${String(count).padStart(2, '0')}`;
      const all = { 'token-id': id, 'token-secret': SECRET, 'usage-bootstrap-authentication': 'true', ...data };
      expect(201, await server.request('POST', path, { metadata: { name: `bootstrap-token-${id}` }, type, stringData: all }));
      return id;
    }

    /** The user and groups of a token; undefined: nobody. */
    async function whoIs(token: string, on = server): Promise<{ readonly name: string; readonly groups: readonly string[] } | undefined> {
      const headers = { authorization: `Bearer ${token}` };
      const { status, body } = await on.request('GET', '/api/v1/nodes', undefined, headers);
      if (status === 401) return undefined;
      const review = { spec: { token } };
      const { user } = expect(201, await on.request('POST', `/apis/${brandOf(dialect).group('authentication')}/v1/tokenreviews`, review)).status;
      assert.ok((body.message as string).includes(`User "${user.username}"`));
      return { name: user.username as string, groups: user.groups as string[] };
    }

    test('R2.13-36 R2.13-40 R5.3-03 R5.3-04 R5.3-05 a bootstrap token is a user of its own, in its groups', async () => {
      const plain = await make();
      assert.deepEqual(await whoIs(`${plain}.${SECRET}`), {
        name: `system:bootstrap:${plain}`,
        groups: ['system:bootstrappers', 'system:authenticated'],
      });
      const more = await make({ description: 'for the workers', 'auth-extra-groups': 'system:bootstrappers:worker,system:bootstrappers:a:b-1' });
      const groups = (await whoIs(`${more}.${SECRET}`))?.groups;
      assert.deepEqual(groups, ['system:bootstrappers', 'system:bootstrappers:a:b-1', 'system:bootstrappers:worker', 'system:authenticated']);
    });

    test('R2.13-41 a group of another sort makes the token bad', async () => {
      const spaced = [' system:bootstrappers:a', 'system:bootstrappers:a, system:bootstrappers:b', 'system:bootstrappers:a,', ',', ' '];
      for (const bad of ['system:masters', 'system:bootstrappers', 'system:bootstrappers:A', 'system:bootstrappers:a,system:masters', 'system:bootstrappers:a-', ...spaced]) {
        assert.equal(await whoIs(`${await make({ 'auth-extra-groups': bad })}.${SECRET}`), undefined, bad);
      }
    });

    test('R2.13-38 R5.3-06 only a token that is for this use is accepted', async () => {
      for (const usage of [undefined, '', 'True', 'yes', 'false']) {
        assert.equal(await whoIs(`${await make({ 'usage-bootstrap-authentication': usage })}.${SECRET}`), undefined);
      }
    });

    test('R3.3-01 R7-08 a token ends at its time; an end that cannot be read has passed', async () => {
      const at = (ms: number): string => new Date(clock.nowMs() + ms).toISOString();
      const id = await make({ expiration: at(60_000) });
      assert.notEqual(await whoIs(`${id}.${SECRET}`), undefined);
      clock.turn(60_000);
      assert.equal(await whoIs(`${id}.${SECRET}`), undefined);
      for (const expiration of ['soon', '2999', '2999-02-30T00:00:00Z', '2999-01-01T24:00:00Z', at(-1)]) assert.equal(await whoIs(`${await make({ expiration })}.${SECRET}`), undefined, expiration);
    });

    test('R2.13-48 R8-15 other forms, secrets, ids and types are nobody', async () => {
      const id = await make();
      const wrong = [`${id}.${SECRET.slice(1)}`, `${id}.${SECRET}0`, `${id}.${SECRET.toUpperCase()}`, `${id}.0${SECRET.slice(1, -1)}0`, id, `.${SECRET}`, `${id}.`];
      for (const token of wrong) assert.equal(await whoIs(token), undefined, token);
      assert.equal(await whoIs(`${await make({ 'token-id': 'other1' })}.${SECRET}`), undefined);
      assert.equal(await whoIs(`${await make({ 'token-secret': undefined })}.${SECRET}`), undefined);
      assert.equal(await whoIs(`${await make({}, 'Opaque')}.${SECRET}`), undefined);
      assert.equal(await whoIs(`zzzzzz.${SECRET}`), undefined);
    });

    test('a deleted token is nobody at once', async () => {
      const id = await make();
      assert.notEqual(await whoIs(`${id}.${SECRET}`), undefined);
      expect(200, await server.request('DELETE', `${path}/bootstrap-token-${id}`));
      assert.equal(await whoIs(`${id}.${SECRET}`), undefined);
    });

    test('a token is nobody while something still holds back its deletion', async () => {
      const id = await make();
      expect(200, await server.patch('merge', `${path}/bootstrap-token-${id}`, { metadata: { finalizers: ['example.com/hold'] } }));
      assert.notEqual(await whoIs(`${id}.${SECRET}`), undefined);
      expect(200, await server.request('DELETE', `${path}/bootstrap-token-${id}`));
      expect(200, await server.request('GET', `${path}/bootstrap-token-${id}`));
      assert.equal(await whoIs(`${id}.${SECRET}`), undefined);
    });

    test('a token is meant for this server alone', async () => {
      const token = `${await make()}.${SECRET}`;
      const path = `/apis/${brandOf(dialect).group('authentication')}/v1/tokenreviews`;
      const isKnownFor = async (...audiences: readonly string[]): Promise<unknown> => expect(201, await server.request('POST', path, { spec: { token, audiences } })).status.authenticated;
      assert.equal(await isKnownFor(), true);
      assert.notEqual(await isKnownFor('elsewhere'), true);
    });

    test('R5.3-02 without the option no bootstrap token is accepted', async () => {
      const other = await startTestServer({ dialect, clock, controllers: 'none' });
      const data = { 'token-id': 'aaaaaa', 'token-secret': SECRET, 'usage-bootstrap-authentication': 'true' };
      expect(201, await other.request('POST', path, { metadata: { name: 'bootstrap-token-aaaaaa' }, type: names.bootstrapTokenSecret, stringData: data }));
      assert.equal(await whoIs(`aaaaaa.${SECRET}`, other), undefined);
      await other.close();
    });
  });
}
