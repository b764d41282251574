import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { startTestServer, TEST_TOKENS, type TestJson } from '#testing';
import { newAuthority } from '../support/certificates.ts';

const COLLECTION = '/api/v1/namespaces/default/configmaps';
/** Together they are more than a watcher may have waiting for it (16 MiB). */
const CHANGES = 6_000;
const TEXT = 'x'.repeat(4_000);
const AT_ONCE = 50;

for (const over of ['http1', 'http2'] as const) {
  test(`R4.5-02 a watch that begins far behind tells everything, however much faster the store is read than the watch (${over})`, async () => {
    const tls = await (await newAuthority()).issue('server', ['127.0.0.1']);
    const server = await startTestServer({ over, listen: { tls }, controllers: 'none', aggregateRoles: false });
    try {
      const make = (name: string): Promise<TestJson> => server.request('POST', COLLECTION, { metadata: { name }, data: { text: TEXT } });
      const { body: first } = await make('first');
      for (let at = 0; at < CHANGES; at += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => make(`n${at + n}`)));
      const watch = await server.watch(`${COLLECTION}?watch=1&resourceVersion=${first.metadata.resourceVersion}`);
      const events = await watch.next(CHANGES);
      assert.equal(new Set(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).size, CHANGES);
      const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
      assert.deepEqual(versions, versions.toSorted((one, other) => one - other));
      await make('last');
      const [last] = await watch.next(1);
      assert.equal(last.object.metadata.name, 'last');
      await watch.stop();
    } finally {
      await server.close();
    }
  });
}

/** More than a watcher may have waiting for it, and than a connection takes for a client that does not read. */
const LARGE_CHANGES = 40;

test('a watch whose client does not read ends when more waits for it than may, and goes on for others', { timeout: 60_000 }, async () => {
  await using server = await startTestServer({ over: 'http1', listen: {}, controllers: 'none', aggregateRoles: false });
  const { body: first } = await server.request('POST', COLLECTION, { metadata: { name: 'large' } });
  const path = `${COLLECTION}?watch=1&resourceVersion=${first.metadata.resourceVersion}`;
  const reader = await server.watch(path);
  const asked = httpRequest(`${server.server.url}${path}`, { headers: { authorization: `Bearer ${TEST_TOKENS.admin}` }, agent: false }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const large = 'x'.repeat(900_000);
  for (let n = 0; n < LARGE_CHANGES; n++) {
    assert.equal((await server.patch('merge', `${COLLECTION}/large`, { data: { large: `${n} ${large}` } })).status, 200);
    await reader.next(1);
  }
  let told = 0;
  for await (const chunk of answer) told += (chunk as Buffer).length;
  assert.ok(told < LARGE_CHANGES * large.length, `${told} bytes came`);
  await reader.stop();
});
