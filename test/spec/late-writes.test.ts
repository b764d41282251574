// What is stored for a request that is over: nothing, however far its admission had come.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AdmissionPlugin } from '#admission';
import { startTestServer, type TestServer } from '#testing';

const PODS = '/api/v1/namespaces/default/pods';
const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string): object => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const pod = (name: string): object => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } });

const LATE: readonly (readonly [what: string, method: string, path: string, body?: object])[] = [
  ['create', 'POST', MAPS, map('new')],
  ['update', 'PUT', `${MAPS}/old`, { ...map('old'), data: { a: 'late' } }],
  ['patch', 'PATCH', `${MAPS}/old`, { data: { a: 'late' } }],
  ['delete', 'DELETE', `${MAPS}/old`],
  ['delete all', 'DELETE', MAPS],
  ['binding', 'POST', `${PODS}/p/binding`, { metadata: { name: 'p' }, target: { kind: 'Node', name: 'late' } }],
  ['eviction', 'POST', `${PODS}/p/eviction`, { metadata: { name: 'p' } }],
];

let server: TestServer;
/** Closed: writes wait at the end of their admission. */
let gate: Promise<void> | undefined;
const plugin: AdmissionPlugin = { name: 'Gate', enabled: true, band: 'final', create: () => ({ on: ['CREATE', 'UPDATE', 'DELETE'], kinds: ['/configmaps', '/pods', '/pods/binding', '/pods/eviction'], validate: () => gate }) };

before(async () => {
  server = await startTestServer({ dialect: 'kubernetes', controllers: 'none', aggregateRoles: false, admission: { plugins: [plugin], disable: ['ServiceAccount'] } });
  for (const [path, object] of [[MAPS, map('old')], [MAPS, map('other')], [PODS, pod('p')]] as const) assert.equal((await server.request('POST', path, object)).status, 201);
});
after(() => server.close());

for (const [what, method, path, body] of LATE) {
  test(`${what}: answered 504, and nothing is stored when it could go on`, async () => {
    const all = async (): Promise<unknown> => [(await server.request('GET', MAPS)).body.items.filter(({ metadata }: { metadata: { name: string } }) => metadata.name !== 'other'), (await server.request('GET', PODS)).body.items];
    const before = await all();
    let open = (): void => {};
    gate = new Promise((resolve) => (open = resolve));
    const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
    assert.equal((await server.request(method, `${path}?timeout=10ms`, body, headers)).status, 504);
    gate = undefined;
    open();
    // What the late one stores is stored before what begins after it.
    assert.equal((await server.request('PUT', `${MAPS}/other`, { ...map('other'), data: { after: what } })).status, 200);
    assert.deepEqual(await all(), before);
  });
}
