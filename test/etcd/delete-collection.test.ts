import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startTestServer, type TestServer } from '#testing';
import { EtcdProcess, NO_ETCD } from './etcd-process.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const NAMES = Array.from({ length: 60 }, (_, i) => `m${String(i).padStart(2, '0')}`);

/** What a watch shows of a collection that is deleted. */
async function deletedBy(server: TestServer): Promise<readonly string[]> {
  await Promise.all(NAMES.map((name) => server.request('POST', MAPS, { metadata: { name, labels: { order: 'yes' } } })));
  const watch = await server.watch(`${MAPS}?watch=true&labelSelector=order`);
  await watch.next(NAMES.length);
  const { status, body } = await server.request('DELETE', `${MAPS}?labelSelector=order`);
  assert.deepEqual([status, body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)], [200, NAMES]);
  const events = await watch.next(NAMES.length);
  await watch.stop();
  return events.map(({ type, object }) => `${type} ${object.metadata.name}`);
}

const IN_ORDER = NAMES.map((name) => `DELETED ${name}`);

describe('deleting a collection', { skip: NO_ETCD }, () => {
  it('goes in the order of the list on etcd, where writes may overtake one another', async () => {
    const etcd = await EtcdProcess.start();
    const server = await startTestServer({ controllers: 'none', aggregateRoles: false, store: `etcd://${etcd.address}` });
    try {
      assert.deepEqual(await deletedBy(server), IN_ORDER);
    } finally {
      await server.close();
      await etcd.remove();
    }
  });

  it('takes as many at a time as it is told to, and leaves none', async () => {
    const etcd = await EtcdProcess.start();
    const server = await startTestServer({ controllers: 'none', aggregateRoles: false, store: `etcd://${etcd.address}`, serving: { deletionWorkers: 7 } });
    try {
      assert.deepEqual(new Set(await deletedBy(server)), new Set(IN_ORDER));
    } finally {
      await server.close();
      await etcd.remove();
    }
  });
});
