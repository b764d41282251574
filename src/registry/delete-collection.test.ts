import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '#testing';

const COLLECTION = '/api/v1/namespaces/default/configmaps';
const OBJECTS = 320;

test('deleting a large collection lets others have their turn', async () => {
  const server = await startTestServer({ controllers: 'none', aggregateRoles: false });
  await Promise.all(Array.from({ length: OBJECTS }, (_, at) => server.request('POST', COLLECTION, { metadata: { name: `m${at}` } })));
  let turns = 0;
  let next: NodeJS.Immediate;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  next = setImmediate(count);
  const { status, body } = await server.request('DELETE', COLLECTION);
  clearImmediate(next);
  assert.deepEqual([status, body.items.length], [200, OBJECTS]);
  assert.ok(turns >= OBJECTS / 16 - 1, `others had ${turns} turns`);
  await server.close();
});
