// What a new server has from the start, against what was recorded. Roles and bindings: test/spec/bootstrap-policy.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIALECTS } from '#api';
import { startTestServer, type TestJson } from '#testing';
import { readRecorded } from './recorded.ts';

/** Where kube-apiserver listened when the objects were recorded. */
const RECORDED = { address: '192.0.2.2', port: 16443, range: '10.0.0.0/24' };

const nameOf = ({ metadata }: TestJson): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** Without what every server makes anew. */
function bare({ metadata, ...object }: TestJson): TestJson {
  const { uid: _uid, resourceVersion: _version, creationTimestamp: _time, generation: _generation, managedFields: _fields, ...kept } = metadata;
  return JSON.parse(JSON.stringify({ metadata: kept, ...object }, (name, value: unknown) => (name === 'lastTransitionTime' ? undefined : value))) as TestJson;
}

for (const dialect of DIALECTS) {
  test(`a new server has the recorded namespaces, priorities and services, and no others (${dialect})`, async () => {
    const recorded = Object.entries(await readRecorded<Record<string, readonly TestJson[]>>('bootstrap-objects', dialect));
    const services = { advertiseAddress: RECORDED.address, clusterIps: [RECORDED.range] };
    const server = await startTestServer({ dialect, over: 'http1', listen: {}, controllers: 'none', services });
    try {
      const here = (text: string): TestJson => JSON.parse(text.replaceAll(`:${RECORDED.port}`, `:${server.server.port}`)) as TestJson;
      for (const [path, objects] of recorded) {
        const { items } = (await server.request('GET', path)).body as { items: readonly TestJson[] };
        assert.deepEqual(items.map(nameOf).sort(), objects.map(nameOf).sort(), path);
        for (const one of objects) {
          const found = items.filter((item) => nameOf(item) === nameOf(one)).map(bare);
          assert.deepEqual(found, [bare(here(JSON.stringify(one)))], `${path} ${nameOf(one)}`);
        }
      }
    } finally {
      await server.close();
    }
  });
}
