import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { endsWithFile } from '../support/children.ts';

const NAMESPACE = ['-rpf', '--kill-child', '--mount-proc'];
const NO_NAMESPACES = spawnSync('unshare', [...NAMESPACE, 'true']).status === 0 ? false : 'this machine lets nobody make namespaces';

const folder = mkdtempSync(join(tmpdir(), 'orch-first-'));
after(() => rmSync(folder, { recursive: true }));

/** A kubeconfig is JSON, too. */
const kubeconfigFor = (server: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'one', cluster: { server } }],
    contexts: [{ name: 'one', context: { cluster: 'one', user: '' } }],
    'current-context': 'one',
  });

test('a command that is the first process of a container ends when it is told to', { skip: NO_NAMESPACES, timeout: 30_000 }, async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigFor(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`));
  const command = [process.execPath, 'dist/bin/orch.js', 'get', 'namespaces', `--kubeconfig=${kubeconfig}`];
  const container = endsWithFile(spawn('unshare', [...NAMESPACE, ...command], { stdio: ['ignore', 'ignore', 'inherit'] }));
  const exit = once(container, 'exit');
  await Promise.race([once(silent, 'request'), exit.then(([code]) => assert.fail(`it ended by itself: ${code}`))]);
  process.kill(Number(readFileSync(`/proc/${container.pid}/task/${container.pid}/children`, 'utf8')), 'SIGTERM');
  assert.deepEqual(await exit, [143, null]);
  silent.closeAllConnections();
  silent.close();
});
