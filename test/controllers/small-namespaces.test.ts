import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createClient, exchangeKubeconfig, exchangeLocal, runControllers, type Client } from 'orch/client';
import { formatKubeconfig, openIdentityFiles } from '#server';
import { TEST_TOKENS } from '#testing';
import { Cluster } from './cluster.ts';
import { smallNamespaces } from './small-namespaces.ts';

const folder = mkdtempSync(join(tmpdir(), 'orch-own-controller-'));
const kubeconfig = join(folder, 'kubeconfig');

let cluster: Cluster;
before(async () => {
  const { authority, serving } = await openIdentityFiles(folder, ['127.0.0.1'], Date.now());
  cluster = await Cluster.start({ listen: { tls: serving } });
  writeFileSync(kubeconfig, formatKubeconfig({ server: cluster.server.server.url ?? '', authorityPem: authority.cert, token: TEST_TOKENS.admin }));
});
after(async () => {
  await cluster.server.close();
  rmSync(folder, { recursive: true });
});

test('the page shows this very code, in 30 lines', () => {
  const code = readFileSync('test/controllers/small-namespaces.ts', 'utf8');
  assert.ok(readFileSync('docs/controllers.md', 'utf8').includes(`\`\`\`ts\n${code}\`\`\``));
  assert.ok(code.trimEnd().split('\n').length <= 30);
});

const clients: readonly (readonly [where: string, open: () => Client | Promise<Client>])[] = [
  ['in the process', () => createClient(exchangeLocal(cluster.server.server.exchange, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' })],
  ['over HTTPS', async () => createClient(await exchangeKubeconfig(kubeconfig), { dialect: 'orch' })],
];

for (const [at, [where, open]] of clients.entries()) {
  test(`it works ${where}: from what is there at the start, on what comes, and against those who interfere`, async () => {
    const [early, late, other] = ['early', 'late', 'other'].map((name) => `${name}-${at}`) as [string, string, string];
    await cluster.make('namespaces', { name: early, labels: { size: 'small' } });
    const client = await open();
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
