import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ApiClient } from '../model/api-client.ts';
import { startServerProcess, type ServerProcess } from '../support/server-process.ts';
import { MemorySamples } from './memory-samples.ts';
import { OpenAnswer } from './open-streams.ts';

const MIB = 1024 * 1024;
/** Of a watch whose receiver does not read (limits.table). */
const WATCH_BOUND_MIB = 16;

describe('many who read at once', () => {
  let server: ServerProcess;
  let client: ApiClient;
  const open: OpenAnswer[] = [];

  before(async () => {
    server = await startServerProcess({ flags: ['--dialect=kubernetes', '--controllers=none'] });
    client = new ApiClient(() => server.url);
  });
  after(async () => {
    for (const answer of open) answer.close();
    client.close();
    await server.stop('SIGKILL');
  });

  const make = async (path: string, body: object): Promise<number> => {
    const { status, body: made } = await client.send('POST', path, body);
    assert.equal(status, 201, JSON.stringify(made));
    return Number(made.metadata.resourceVersion);
  };
  const openAll = async (count: number, path: string): Promise<readonly OpenAnswer[]> => {
    const opened = await Promise.all(Array.from({ length: count }, () => OpenAnswer.open(server.url, path)));
    open.push(...opened);
    return opened;
  };
  /** Calls `run` with 0, 1, … from several lanes side by side. */
  const inLanes = (lanes: number, count: number, run: (number: number) => Promise<unknown>): Promise<unknown> => {
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < count) await run(next++);
    };
    return Promise.all(Array.from({ length: lanes }, lane));
  };

  it('100 watches of one namespace get 100,000 events in order, and 100 of another only their own', async () => {
    const [BUSY, CALM] = ['/api/v1/namespaces/busy/configmaps', '/api/v1/namespaces/calm/configmaps'];
    for (const name of ['busy', 'calm']) await make('/api/v1/namespaces', { metadata: { name } });
    const versions: number[] = [];
    const seen = new Map<OpenAnswer, number[]>();
    let missing = 100 * 1_000;
    let allSeen = (): void => {};
    const done = new Promise<void>((resolve) => (allSeen = resolve));
    const follow = (watch: OpenAnswer): void => {
      const own: number[] = [];
      seen.set(watch, own);
      watch.readVersions((version) => {
        own.push(version);
        missing -= 1;
        if (missing === 0) allSeen();
      });
    };
    const busy = await openAll(100, `${BUSY}?watch=1`);
    const calm = await openAll(100, `${CALM}?watch=1`);
    for (const watch of busy) follow(watch);
    const calmSeen = calm.map((watch) => {
      const own: number[] = [];
      watch.readVersions((version) => own.push(version));
      return own;
    });
    const startedMs = performance.now();
    await inLanes(16, 1_000, async (number) => versions.push(await make(BUSY, { metadata: { name: `map-${number}` }, data: { text: 'x'.repeat(500) } })));
    await done;
    const seconds = (performance.now() - startedMs) / 1_000;
    const inOrder = versions.toSorted((one, other) => one - other);
    for (const own of seen.values()) assert.deepEqual(own, inOrder);
    assert.deepEqual(new Set(calmSeen.map(({ length }) => length)), new Set([0]));
    console.log(`${(100_000 / seconds).toFixed()} events a second to 100 watches, ${(1_000 / seconds).toFixed()} writes`);
    for (const watch of [...busy, ...calm]) watch.close();
  });

  it('a watch that is not read costs its bound and no more, and ends with a beginning without gaps', async () => {
    const MAPS = '/api/v1/namespaces/stuck/configmaps';
    const COUNT = 300;
    const EVENTS = 2 * COUNT;
    await make('/api/v1/namespaces', { metadata: { name: 'stuck' } });
    const stuck = await openAll(8, `${MAPS}?watch=1`);
    const [good] = await openAll(1, `${MAPS}?watch=1`);
    const goodSeen: number[] = [];
    const allSeen = new Promise<void>((resolve) => good?.readVersions((version) => void (goodSeen.push(version) === EVENTS && resolve())));
    const memory = new MemorySamples(server.pid);
    memory.take();
    const before = memory.highestMib();
    const sampling = setInterval(() => memory.take(), 50);
    await inLanes(4, COUNT, async (number) => {
      await make(MAPS, { metadata: { name: `map-${number}` }, data: { text: 'x'.repeat(200_000) } });
      await client.send('DELETE', `${MAPS}/map-${number}?gracePeriodSeconds=0`);
    }).finally(() => clearInterval(sampling));
    await allSeen;
    const grownMib = memory.highestMib() - before;
    for (const watch of stuck) {
      const own: number[] = [];
      watch.readVersions((version) => own.push(version));
      await watch.ended;
      assert.ok(own.length > 0 && own.length < EVENTS, `${own.length} of ${EVENTS} events came`);
      assert.deepEqual(own, goodSeen.slice(0, own.length));
      assert.ok(watch.bytes < 2 * WATCH_BOUND_MIB * MIB, `${watch.bytes} bytes waited for a client that did not read`);
    }
    console.log(`8 stuck watches: ${grownMib.toFixed()} MiB more`);
    assert.ok(grownMib < 8 * WATCH_BOUND_MIB + 96, `memory grew by ${grownMib} MiB`);
  });

  it('400 Secrets of 1 MB listed by 64 clients at once fit into 1.5 GB, and others are answered meanwhile', async () => {
    const SECRETS = '/api/v1/namespaces/big/secrets';
    const COUNT = 400;
    await make('/api/v1/namespaces', { metadata: { name: 'big' } });
    const value = Buffer.alloc(750_000, 7).toString('base64');
    await inLanes(4, COUNT, (number) => make(SECRETS, { metadata: { name: `secret-${number}` }, data: { value } }));
    // Of the server itself: pages of the store that the system keeps in memory while there is room are its own to take back.
    const memory = new MemorySamples(server.pid);
    memory.take();
    const sampling = setInterval(() => memory.take(), 50);
    try {
      const lists = await openAll(64, SECRETS);
      // Each takes a part, so that all of them are under way, and stands still.
      await Promise.all(lists.map((list) => new Promise<void>((resolve) => list.readUntil(2 * MIB, resolve))));
      for (let number = 0; number < 20; number++) {
        await make('/api/v1/namespaces/big/configmaps', { metadata: { name: `meanwhile-${number}` } });
        const { status, body } = await client.send('GET', `/api/v1/namespaces/big/configmaps?limit=5`);
        assert.deepEqual([status, body.items.length], [200, Math.min(5, number + 1)]);
      }
      const [first, second, ...others] = lists;
      for (const list of others) list.close();
      for (const list of [first, second]) {
        list?.goOn();
        await list?.ended;
        assert.ok((list?.bytes ?? 0) > COUNT * value.length, `${list?.bytes} bytes came`);
      }
    } finally {
      clearInterval(sampling);
    }
    console.log(`at most ${memory.highestMib().toFixed()} MiB`);
    assert.ok(memory.highestMib() < 1_500, `${memory.highestMib()} MiB`);
  });
});
