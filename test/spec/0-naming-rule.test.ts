// A name that the specification does not list comes from that of Kubernetes: the two dialects are one but for that rule.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brandOf, DIALECTS, type Dialect, type WellKnownName } from '#api';
import { startTestServer, type TestJson, type TestServer } from '#testing';
import { expect } from './world.ts';

const derived = (name: string): string =>
  name
    .replaceAll(/\b(?:kubernetes|k8s)\.io\b/g, 'orch.io')
    .replaceAll(/\bkube-(?=system|public|node-lease)/g, 'orch-')
    .replaceAll('kubernetes', 'orch')
    .replaceAll('KUBERNETES', 'ORCH')
    .replace(/^Kubernetes/, 'Orch');

/** Names that the specification lists and the rule does not give, and addresses on the web, which are no names. */
const LISTED: ReadonlySet<WellKnownName> = new Set<WellKnownName>(['clientSigner', 'nodeClientSigner', 'nodeServingSigner', 'rootCaConfigMap', 'apiApprovedHelp']);

test('R0-04 a name that the specification does not list is that of Kubernetes with the domain and the product exchanged', () => {
  const [orch, kubernetes] = [brandOf('orch'), brandOf('kubernetes')];
  for (const [key, name] of Object.entries(kubernetes.names)) {
    if (!LISTED.has(key as WellKnownName)) assert.equal(orch.names[key as WellKnownName], derived(name), key);
  }
});

const servers = new Map<Dialect, TestServer>();
before(async () => {
  for (const dialect of DIALECTS) servers.set(dialect, await startTestServer({ dialect, controllers: 'none' }));
});
after(async () => {
  for (const server of servers.values()) await server.close();
});

const read = async (dialect: Dialect, path: string): Promise<TestJson> => expect(200, await (servers.get(dialect) as TestServer).request('GET', path));

for (const path of ['/apis', '/api/v1', '/apis/apps/v1', '/apis/batch/v1']) {
  test(`R0-04 R0-02 ${path} is the same in both dialects, names apart`, async () => {
    const text = JSON.stringify(await read('kubernetes', path));
    assert.deepEqual(JSON.parse(derived(text)), await read('orch', path));
    assert.match(text, path === '/apis' ? /k8s\.io/ : /"resources"/);
  });
}

test('R0-04 what the server makes by itself has the same names in both dialects, product apart', async () => {
  const namesIn = async (dialect: Dialect, path: string): Promise<readonly string[]> =>
    (await read(dialect, path)).items.map(({ metadata }: TestJson) => `${metadata.namespace ?? ''}/${metadata.name}`).sort();
  for (const path of ['/api/v1/namespaces', '/api/v1/services']) {
    const kubernetes = await namesIn('kubernetes', path);
    assert.deepEqual(await namesIn('orch', path), kubernetes.map(derived).sort(), path);
    assert.ok(kubernetes.length > 0, path);
  }
});
