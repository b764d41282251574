import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import vm from 'node:vm';
import type { AdmissionPlugin } from '#admission';
import { forbidden } from '#errors';
import { startTestServer, type TestServerOptions } from '#testing';
import { refuse, startServer } from 'orch';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** What `source` makes of `seen` in a world whose classes are others: test runners give every file such a world. */
const elsewhere = (source: string, seen: Readonly<Record<string, unknown>> = {}): unknown => vm.runInNewContext(source, { ...seen });

async function createUnder(plugin: AdmissionPlugin, options: TestServerOptions = {}): Promise<number> {
  const server = await startTestServer({ ...options, admission: { plugins: [plugin] } });
  try {
    return (await server.request('POST', CONFIG_MAPS, { metadata: { name: 'a' } })).status;
  } finally {
    await server.close();
  }
}

function pluginOf(hook: 'mutate' | 'validate', answer: unknown): AdmissionPlugin {
  return { name: 'Mine', enabled: true, band: 'builtin', create: () => ({ on: ['CREATE'], kinds: ['/configmaps'], [hook]: answer }) };
}

for (const hook of ['mutate', 'validate'] as const) {
  test(`a refusal that ${hook} of another realm promises is a refusal`, async () => {
    const refuse = elsewhere('async () => { throw refusal; }', { refusal: forbidden({ group: '', resource: 'configmaps' }, 'a', 'it is not to be') });
    assert.equal(await createUnder(pluginOf(hook, refuse)), 403);
  });

  test(`a consent that ${hook} of another realm promises is a consent`, async () => {
    assert.equal(await createUnder(pluginOf(hook, elsewhere('async () => {}'))), 201);
  });
}

test('a value that a plugin has at hand without being asked for one is no promise', async () => {
  assert.equal(await createUnder(pluginOf('validate', () => true)), 201);
  assert.equal(await createUnder(pluginOf('validate', () => null)), 201);
});

test('a refusal of a plugin that brings a copy of the package of its own is that refusal', async () => {
  const plugin = pluginOf('validate', (request: Parameters<typeof refuse>[0]) => {
    throw refuse(request, 'it belongs to no team');
  });
  await using server = await startTestServer({ dialect: 'kubernetes', admission: { plugins: [plugin] } });
  const { status, body } = await server.request('POST', CONFIG_MAPS, { metadata: { name: 'a' } });
  assert.equal(status, 403);
  assert.deepEqual(body, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'configmaps "a" is forbidden: it belongs to no team',
    reason: 'Forbidden',
    details: { name: 'a', kind: 'configmaps' },
    code: 403,
  });
});

test('bytes of another realm are sent as they are', async () => {
  const server = await startTestServer();
  try {
    const body = elsewhere(`Uint8Array.from(${JSON.stringify([...Buffer.from('{"metadata":{"name":"b"}}')])})`);
    const { status, text } = await server.request('POST', CONFIG_MAPS, body);
    assert.equal(status, 201, text);
  } finally {
    await server.close();
  }
});

for (const start of [startServer, startTestServer]) {
  test(`a block ends what ${start.name} gives it also in a world that has no symbol for that, as compilers write such a block`, async () => {
    const server = await start();
    const end = elsewhere('(server) => server[Symbol.asyncDispose || Symbol.for("Symbol.asyncDispose")]()', { Symbol: { for: Symbol.for } }) as (server: unknown) => Promise<void>;
    try {
      await end(server);
      const { exchange } = 'server' in server ? server.server : server;
      assert.equal((await exchange({ method: 'GET', path: '/livez' })).status, 503);
    } finally {
      await server.close();
    }
  });
}
