import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { createClient, exchangeHttp, exchangeLocal, runControllers, type Client } from 'orch/client';
import { TEST_TOKENS } from '#testing';
import { Cluster } from './cluster.ts';
import { smallNamespaces } from './small-namespaces.ts';

let cluster: Cluster;
before(async () => {
  cluster = await Cluster.start({ over: 'http1', listen: {} });
});
after(() => cluster.server.close());

test('the page shows this very code, in 30 lines', () => {
  const code = readFileSync('test/controllers/small-namespaces.ts', 'utf8');
  assert.ok(readFileSync('docs/controllers.md', 'utf8').includes(`\`\`\`ts\n${code}\`\`\``));
  assert.ok(code.trimEnd().split('\n').length <= 30);
});

const clients: readonly (readonly [where: string, open: () => Client])[] = [
  ['in the process', () => createClient(exchangeLocal(cluster.server.server.exchange, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' })],
  [
    'over a socket',
    () => createClient(exchangeHttp({ server: cluster.server.server.url ?? '', isVerified: true, token: async () => TEST_TOKENS.admin, namespace: 'default' }), { dialect: 'orch' }),
  ],
];

for (const [at, [where, open]] of clients.entries()) {
  test(`it works ${where}: from what is there at the start, on what comes, and against those who interfere`, async () => {
    const [early, late, other] = ['early', 'late', 'other'].map((name) => `${name}-${at}`) as [string, string, string];
    await cluster.make('namespaces', { name: early, labels: { size: 'small' } });
    const client = open();
    const running = runControllers([smallNamespaces], { client });
    await running.synced;
    await cluster.appears(`${early}/resourcequotas`, 'small');
    await cluster.make('namespaces', { name: other });
    await cluster.make('namespaces', { name: late, labels: { size: 'small' } });
    const quota = await cluster.appears(`${late}/resourcequotas`, 'small');
    assert.deepEqual(quota.spec.hard, { pods: '10' });
    assert.ok(quota.metadata.managedFields.some(({ manager, operation }: { manager: string; operation: string }) => manager === 'small-namespaces' && operation === 'Apply'));
    await cluster.merge(`${late}/resourcequotas`, 'small', { spec: { hard: { pods: '1000' } } });
    await cluster.until(`${late}/resourcequotas`, 'small', (one) => one.spec.hard.pods === '10');
    assert.equal(await cluster.isThere(`${other}/resourcequotas`, 'small'), false);
    await running.stop();
    client.close();
    await cluster.merge(`${late}/resourcequotas`, 'small', { spec: { hard: { pods: '7' } } });
    assert.equal((await cluster.get(`${late}/resourcequotas`, 'small')).spec.hard.pods, '7');
  });
}
