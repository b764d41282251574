// The command line against a server that needs a moment until it serves what was defined, as all do; this one says how long.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { orch, type Finished } from './orch-command.ts';

const GROUP = 'late.example';
const DEFINITION = {
  apiVersion: 'apiextensions.orch.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `plays.${GROUP}` },
  spec: { group: GROUP, scope: 'Cluster', names: { plural: 'plays', kind: 'Play' }, versions: [] },
};
const PLAY = { apiVersion: `${GROUP}/v1`, kind: 'Play', metadata: { name: 'first' } };
const FILE = [DEFINITION, PLAY].map((object) => JSON.stringify(object)).join('\n---\n');

const resource = (name: string, kind: string): object => ({ name, kind, singularName: '', namespaced: false, verbs: ['create', 'delete', 'get', 'list', 'patch'] });
const resources = (groupVersion: string, one: object): object => ({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: [one] });

/** How often the server is asked for the new kind before it serves it. */
let early = 0;
let asked = 0;
const server = createServer((request, response) => {
  const answer = (code: number, body: object): void => void response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  request.resume().on('end', () => {
    if (request.method !== 'GET') return answer(request.method === 'DELETE' ? 200 : 201, request.method === 'DELETE' ? { kind: 'Status', status: 'Success' } : PLAY);
    if (request.url === '/apis/apiextensions.orch.io/v1') return answer(200, resources('apiextensions.orch.io/v1', resource('customresourcedefinitions', 'CustomResourceDefinition')));
    if (request.url === `/apis/${GROUP}/v1` && asked++ >= early) return answer(200, resources(`${GROUP}/v1`, resource('plays', 'Play')));
    answer(404, { kind: 'Status', status: 'Failure', reason: 'NotFound', code: 404, message: 'not found' });
  });
});

const cwd = mkdtempSync(join(tmpdir(), 'orch-late-'));
const kubeconfig = join(cwd, 'kubeconfig');
before(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const clusters = [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }];
  writeFileSync(kubeconfig, JSON.stringify({ 'current-context': 'x', clusters, contexts: [{ name: 'x', context: { cluster: 'c' } }] }));
});
after(() => {
  server.close();
  server.closeAllConnections();
  rmSync(cwd, { recursive: true });
});

async function run(line: string, input: string, tries: number): Promise<Finished> {
  early = tries;
  asked = 0;
  return orch(line.split(' '), { cwd, env: { KUBECONFIG: kubeconfig }, input });
}

test('an object whose definition came before it is made as soon as the server serves its kind', async () => {
  for (const command of ['apply', 'create']) {
    const { code, out, err } = await run(`${command} -f -`, FILE, 3);
    assert.deepEqual([code, err, out.split('\n').length, asked], [0, '', 3, 4], command);
  }
});

test('a kind that nothing in the files defines is not waited for, nor one that is only tried out or goes away', async () => {
  const runs: readonly (readonly [line: string, input: string])[] = [
    ['apply -f -', JSON.stringify(PLAY)],
    ['apply -f - --dry-run', FILE],
    ['delete -f -', FILE],
  ];
  for (const [line, input] of runs) {
    const { code, err } = await run(line, input, 1);
    assert.deepEqual([code, asked], [1, 1], line);
    assert.match(err, /the server has no Play in late\.example\/v1/);
  }
});
