import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestServer, type TestServer } from '#testing';

/** A namespace `n` with an account, so that pods can be made, and a quota whose usage is known. */
async function withQuota(server: TestServer, hard: Readonly<Record<string, string>>): Promise<void> {
  const v1 = '/api/v1/namespaces';
  const all = [
    await server.request('POST', v1, { metadata: { name: 'n' } }),
    await server.request('POST', `${v1}/n/serviceaccounts`, { metadata: { name: 'default' } }),
    await server.request('POST', `${v1}/n/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } }),
    await server.patch('merge', `${v1}/n/resourcequotas/q/status`, { status: { hard, used: Object.fromEntries(Object.keys(hard).map((name) => [name, '0'])) } }),
  ];
  assert.deepEqual(all.map(({ status }) => status), [201, 201, 201, 200]);
}

for (const dialect of ['orch', 'kubernetes'] as const) {
  describe(dialect, () => {
    test('R4.11-19 of 200 clients that create pods at once as many succeed as the quota has room for', async () => {
      const server = await startTestServer({ dialect, controllers: 'none' });
      await withQuota(server, { pods: '100', 'requests.cpu': '8' });
      const create = (index: number) =>
        server.request('POST', '/api/v1/namespaces/n/pods', {
          metadata: { name: `p${index}` },
          spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }] },
        });
      const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => create(index)));
      assert.deepEqual(
        [201, 403].map((code) => answers.filter(({ status }) => status === code).length),
        [80, 120],
      );
      const refusal = answers.find(({ status }) => status === 403)?.body;
      assert.match(refusal.message, /^pods "p\d+" is forbidden: exceeded quota: q, requested: requests.cpu=100m, used: requests.cpu=8, limited: requests.cpu=8$/);
      assert.equal((await server.request('GET', '/api/v1/namespaces/n/pods')).body.items.length, 80);
      assert.deepEqual((await server.request('GET', '/api/v1/namespaces/n/resourcequotas/q')).body.status.used, { pods: '80', 'requests.cpu': '8' });
      await server.close();
    });
  });
}
