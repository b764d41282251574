import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, exchangeLocal } from 'orch/client';
import { ConfigMap } from 'orch/kinds';
import { startTestServer, TEST_TOKENS } from 'orch/testing';

test('what is written is read, a day later too', async () => {
  await using server = await startTestServer({ dialect: 'kubernetes' });
  const client = createClient(exchangeLocal(server.server.exchange, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'kubernetes' });

  await client.of(ConfigMap).create({ metadata: { namespace: 'default', name: 'greeting' }, data: { text: 'hello' } });
  server.clock.advance('24h');
  const { data } = await client.of(ConfigMap).get({ namespace: 'default', name: 'greeting' });

  assert.deepEqual(data, { text: 'hello' });
});
