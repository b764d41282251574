// A server for tests is closed, whatever has become of it before.
import assert from 'node:assert/strict';
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
