import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { RunningServer } from 'orch';
import { createClient, exchangeHttp, isRefusal } from 'orch/client';
import { ConfigMap } from 'orch/kinds';
import { forward, startPlatform } from './platform.ts';

test('the page on libraries shows code that runs here: requests and watches go through a server of another', async () => {
  assert.ok(readFileSync('docs/as-a-library.md', 'utf8').includes(`\`\`\`ts\n${readFileSync('test/runners/platform.ts', 'utf8')}\`\`\``));
  const server = await startPlatform('secret,admin,admin,"system:masters"');
  const web = createServer((request, response) => void forward(server, request, response)).listen(0, '127.0.0.1');
  await once(web, 'listening');
  const client = createClient(exchangeHttp({ server: `http://127.0.0.1:${(web.address() as AddressInfo).port}`, isVerified: true, namespace: 'default', token: async () => 'secret' }));
  const maps = client.of(ConfigMap);
  const metadata = { namespace: 'default', name: 'a' };
  await assert.rejects(maps.create({ metadata }), (cause) => isRefusal(cause, 'Forbidden') && cause.message === 'configmaps "a" is forbidden: it belongs to no team');
  const made = await maps.create({ metadata: { ...metadata, labels: { team: 'a' } } });
  for await (const { object } of await maps.watch({ namespace: 'default' })) {
    assert.equal(object.metadata.uid, made.metadata.uid);
    break;
  }
  await server.close();
  client.close();
  web.close();
});

test('who leaves such a server while the body arrives, or before there is an answer, ends the work on the request and fails nothing', { timeout: 20_000 }, async () => {
  // It answers nothing before it hears that nobody waits any more.
  const exchange: RunningServer['exchange'] = ({ signal }) =>
    new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
      web.emit('asked');
    });
  const web = createServer((request, response) => {
    web.emit('begun');
    void forward({ exchange } as RunningServer, request, response).then(() => web.emit('over'));
  }).listen(0, '127.0.0.1');
  await once(web, 'listening');
  for (const [until, text] of [['begun', 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{'], ['asked', 'GET / HTTP/1.1\r\nhost: a\r\n\r\n']] as const) {
    const [reached, over] = [once(web, until), once(web, 'over')];
    const caller = connect((web.address() as AddressInfo).port, '127.0.0.1');
    caller.write(text);
    await reached;
    caller.destroy();
    await over;
  }
  web.close();
});

/** What a program that brings kinds of its own, and publishes types of its own, asks of ours. */
const LIBRARY = `
import { readKubeconfig, startServer, type AdmissionPlugin, type Clock, type Log, type ServerOptions } from 'orch';
import { createClient, exchangeLocal, openInformer, runForLeader, source, TransportFailure, type Client, type ObjectKey } from 'orch/client';
import { ApiError } from 'orch/errors';
import { ConfigMap, defineKind, type Column, type HookContext, type ObjectOf } from 'orch/kinds';
import { t } from 'orch/schema';
import { startTestServer } from 'orch/testing';

export class Spec extends t.message('acme/v1.DatabaseSpec', { replicas: t.int32(1).default(1), tags: t.strings(2) }) {}
export class Body extends t.message('acme/v1.Database', { spec: t.one(2, Spec) }) {}
export const Database = defineKind(Body, {
  group: 'db.acme.example',
  kind: 'Database',
  plural: 'databases',
  scope: 'Namespaced',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  validate(next, live, at, { user }: HookContext) {
    if (live !== undefined && user?.name !== 'admin') at.child('spec', 'replicas').invalid(next.spec.replicas, 'may not change');
  },
});
export type Database = ObjectOf<typeof Database>;
export const replicas: Column<Database> = { name: 'Replicas', type: 'integer', cell: ({ spec }) => spec.replicas ?? 1 };
export const databases = (client: Client) => client.of(Database);
export const follow = (client: Client, signal: AbortSignal) => openInformer(client.of(Database), { signal });
export const owned = source(ConfigMap, ({ metadata }): readonly ObjectKey[] => [{ namespace: metadata.namespace ?? '', name: metadata.name ?? '' }]);
export const lead = (client: Client, lease: ObjectKey, signal: AbortSignal) => runForLeader({ client, lease, identity: 'a', signal }, async () => {});
export const isAway = (cause: unknown): boolean => cause instanceof TransportFailure && cause.code === 'unreachable';
export const reasonOf = (cause: unknown) => (cause instanceof ApiError ? cause.reason : undefined);
export const start = (log: Log, clock: Clock, plugins: readonly AdmissionPlugin[], more: ServerOptions) => startServer({ ...more, log, clock, admission: { plugins } });
export const startAsking = async () => startServer({ authentication: { tokenWebhook: { connection: await readKubeconfig('./kubeconfig') } } });
export const startOne = async () => createClient(exchangeLocal((await startTestServer({ kinds: [Database] })).server.exchange));
`;

const STRICT = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--declaration', '--skipLibCheck', 'false', '--lib', 'es2023,esnext.disposable', '--target', 'es2023', '--types', 'node', '--rootDir', '.'];

test('a program that publishes types of its own names ours, in both ways to look modules up', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orch-types-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(process.cwd(), join(folder, 'node_modules', 'orch'));
  symlinkSync(join(process.cwd(), 'node_modules', '@types'), join(folder, 'node_modules', '@types'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'library.ts'), LIBRARY);
  copyFileSync('test/runners/platform.ts', join(folder, 'platform.ts'));
  for (const [module, resolution] of [['node16', 'node16'], ['esnext', 'bundler']] as const) {
    const args = [join(process.cwd(), 'node_modules/typescript/bin/tsc'), ...STRICT, '--module', module, '--moduleResolution', resolution, '--outDir', module, 'library.ts', 'platform.ts'];
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    assert.equal(status, 0, stdout);
  }
  rmSync(folder, { recursive: true });
});
