// A server for tests is closed, whatever has become of it before.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTestServer } from '#testing';
import { newAuthority } from '../support/certificates.ts';

for (const over of ['process', 'http1', 'http2'] as const) {
  test(`a test server over ${over} is closed also where its own server was before, and more than once`, { timeout: 20_000 }, async () => {
    const tls = await (await newAuthority()).issue('server', ['127.0.0.1', 'localhost']);
    const server = await startTestServer({ controllers: 'none', over, ...(over === 'process' ? {} : { listen: { tls } }) });
    assert.equal((await server.request('GET', '/version')).status, 200);
    await server.server.close();
    await server.close();
    await server.close();
  });
}

test('a test server closes while a test has a watch open, over whatever it is reached', { timeout: 20_000 }, async () => {
  const tls = await (await newAuthority()).issue('server', ['127.0.0.1', 'localhost']);
  for (const [over, options] of [['process', {}], ['http1', { listen: {} }], ['http2', { listen: { tls } }]] as const) {
    const server = await startTestServer({ over, ...options, controllers: 'none' });
    const watch = await server.watch('/api/v1/namespaces?watch=true');
    await watch.next(1);
    await server.close();
    await assert.rejects(watch.next(100), over);
  }
});

const hasIpv6 = Object.values(networkInterfaces()).some((own) => own?.some(({ address }) => address === '::1'));

test('a test server is reached at an IPv6 address, too', { skip: hasIpv6 ? false : 'this machine has no ::1' }, async () => {
  const tls = await (await newAuthority()).issue('server', ['::1']);
  for (const [over, listen] of [['http1', { host: '::1' }], ['http2', { host: '::1', tls }]] as const) {
    await using server = await startTestServer({ over, listen, controllers: 'none' });
    assert.equal((await server.request('GET', '/version')).status, 200, over);
  }
});

test('a test server that cannot be reached as it is asked to leaves its store to the next one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orch-test-server-'));
  const options = { store: `lmdb://${folder}`, controllers: 'none' };
  await assert.rejects(startTestServer({ over: 'http1', listen: false, ...options }), /has to listen/);
  await (await startTestServer(options)).close();
  rmSync(folder, { recursive: true });
});

test('a test server says which forms of a patch there are', async () => {
  await using server = await startTestServer({ controllers: 'none' });
  const patch = server.patch as (form: string, path: string, body: unknown) => Promise<unknown>;
  await assert.rejects(patch('/api/v1/namespaces/default', 'merge', {}), { message: 'patch takes as its form one of json, merge, strategic, apply, not "/api/v1/namespaces/default"' });
});
