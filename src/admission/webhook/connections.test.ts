import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, type ObjectAccess } from '#api';
import { countTurns, systemClock } from '#base';
import type { Send } from '#transport';
import { WebhookConnections } from './connections.ts';

test('webhooks that are sent a large object at the same time leave turns of the event loop to others', async () => {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode('{"is":"answered"}');
  }
  const asked: number[] = [];
  const sendToSelf: Send = async ({ body }) => {
    asked.push(String(body).length);
    return { status: 200, headers: {}, chunks: chunks() };
  };
  const connections = new WebhookConnections({} as ObjectAccess, systemClock, brandOf('kubernetes'), { sendToSelf });
  const client = { service: { namespace: 'default', name: 'kubernetes' } };
  const large = { data: Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`key-${at}`, `value ${at}`])) };
  const { signal } = new AbortController();
  const turns = await countTurns(async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => connections.prepare(client, 10).make(large, 10_000, signal)));
    assert.deepEqual(answers, Array.from({ length: 10 }, () => ({ is: 'answered' })));
  });
  assert.equal(asked.length, 10);
  assert.ok(turns >= 5, `${turns} turns`);
});
