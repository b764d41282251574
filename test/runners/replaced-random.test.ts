import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { startTestServer } from '#testing';

const MAPS = '/api/v1/namespaces/default/configmaps';

interface Made {
  readonly metadata: { readonly name: string; readonly uid: string };
}

test('a test that has crypto.randomUUID answer what it can foresee gives objects of the server no uid, and one that replaces crypto hinders nothing', async () => {
  const foreseen = '11111111-1111-4111-8111-111111111111';
  mock.method(globalThis.crypto, 'randomUUID', () => foreseen);
  mock.method(globalThis.crypto, 'getRandomValues', () => new Uint8Array(10));
  mock.getter(globalThis, 'crypto', () => ({ randomUUID: () => foreseen }));
  try {
    await using server = await startTestServer();
    const made: Made[] = [];
    for (let count = 0; count < 2; count++) {
      const { status, body, text } = await server.request('POST', MAPS, { metadata: { generateName: 'a-' } });
      assert.equal(status, 201, text);
      made.push(body as unknown as Made);
    }
    const [one, other] = made.map(({ metadata }) => metadata);
    assert.notEqual(one?.uid, foreseen);
    assert.notEqual(one?.uid, other?.uid);
    assert.notEqual(one?.name, other?.name);
  } finally {
    mock.restoreAll();
  }
});
