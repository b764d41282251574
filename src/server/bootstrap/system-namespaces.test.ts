import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import { startTestServer, TurnedClock } from '#testing';

for (const dialect of DIALECTS) {
  test(`${dialect}: the namespace of the leases of nodes is made again within a minute after it was deleted`, { timeout: 20_000 }, async () => {
    const clock = new TurnedClock();
    const api = await startTestServer({ dialect, clock, controllers: 'namespace' });
    try {
      const name = brandOf(dialect).names.leaseNamespace;
      const path = `/api/v1/namespaces/${name}`;
      const { body: first } = await api.request('GET', path);
      const watch = await api.watch(`/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3D${name}&resourceVersion=${first.metadata.resourceVersion}`);
      await api.request('DELETE', path);
      for (let [event] = await watch.next(1); event.type !== 'DELETED'; [event] = await watch.next(1)) assert.equal(event.type, 'MODIFIED');
      assert.equal((await api.request('GET', path)).status, 404);
      clock.advance('1m');
      const [again] = await watch.next(1);
      assert.deepEqual([again.type, again.object.status.phase], ['ADDED', 'Active']);
      assert.notEqual(again.object.metadata.uid, first.metadata.uid);
      await watch.stop();
    } finally {
      await api.close();
    }
  });
}
