import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { openEngine, StorageFailure, type Engine, type Revision } from '#storage';
import { EtcdProcess, NO_ETCD } from './etcd-process.ts';
import { FeedRecorder } from './feed-recorder.ts';

const ROUNDS = 5;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (value: Uint8Array | undefined): string | undefined => value && new TextDecoder().decode(value);

describe('etcd that fails', { skip: NO_ETCD }, () => {
  let etcd: EtcdProcess;
  let writer: Engine;
  let follower: Engine;

  beforeEach(async () => {
    etcd = await EtcdProcess.start();
    [writer, follower] = await Promise.all([openEngine(`etcd://${etcd.address}`), openEngine(`etcd://${etcd.address}`)]);
  });
  afterEach(async () => {
    await Promise.all([writer.close(), follower.close()]);
    await etcd.remove();
  });

  /** Writes until it is told to stop; what was acknowledged, by revision. A failed write may have been done. */
  function keepWriting(): { stop(): Promise<Map<Revision, string>>; written(count: number): Promise<void> } {
    const acknowledged = new Map<Revision, string>();
    const waiting: { count: number; resolve: () => void }[] = [];
    const stopped = new AbortController();
    const run = async (): Promise<void> => {
      let expect = 0;
      for (let i = 0; !stopped.signal.aborted; i++) {
        try {
          const commit = await writer.commit({ key: '/w/a', expect, value: bytes(`${i}`) });
          if (commit.done) acknowledged.set(commit.revision, `${i}`);
          expect = commit.done ? commit.revision : (commit.found?.revision ?? 0);
        } catch (error) {
          assert.ok(error instanceof StorageFailure && error.code === 'unavailable', String(error));
        }
        for (const { count, resolve } of waiting) if (acknowledged.size >= count) resolve();
      }
    };
    const running = run();
    return {
      written: (more) => {
        const count = acknowledged.size + more;
        return new Promise<void>((resolve) => void waiting.push({ count, resolve }));
      },
      async stop() {
        stopped.abort();
        await running;
        return acknowledged;
      },
    };
  }

  /** Every revision of the only key that is written shows once and in order; what was acknowledged shows as it was. */
  async function checkFeed(recorder: FeedRecorder, acknowledged: ReadonlyMap<Revision, string>): Promise<void> {
    const head = await follower.head();
    await recorder.reached(head);
    assert.equal(recorder.lost, undefined);
    const seen = recorder.changes.map(({ revision }) => revision);
    assert.deepEqual(seen, Array.from({ length: head - 1 }, (_, i) => i + 2));
    const told = new Map(recorder.changes.map(({ revision, value }) => [revision, text(value)]));
    for (const [revision, value] of acknowledged) assert.equal(told.get(revision), value);
    recorder.changes.forEach(({ before }, i) => assert.equal(before?.revision, seen[i - 1]));
  }

  it('kill -9 and a new start: followers lose no change and see none twice, writes go on', async () => {
    const recorder = new FeedRecorder(follower, '/w/', 1);
    const writing = keepWriting();
    for (let round = 0; round < ROUNDS; round++) {
      await writing.written(20);
      await etcd.kill();
      await etcd.run();
    }
    await writing.written(20);
    await checkFeed(recorder, await writing.stop());
  });

  it('stopped and let go on: nothing is lost', async () => {
    const recorder = new FeedRecorder(follower, '/w/', 1);
    const writing = keepWriting();
    for (let round = 0; round < ROUNDS; round++) {
      await writing.written(20);
      etcd.signal('SIGSTOP');
      // These are sent and cannot be answered yet.
      const asked = [follower.head(), follower.get('/w/a')];
      etcd.signal('SIGCONT');
      await Promise.all(asked);
    }
    await checkFeed(recorder, await writing.stop());
  });

  it('a follower that was cut off while history was forgotten is told so, and may start anew', async () => {
    const recorder = new FeedRecorder(follower, '/w/', 1);
    const first = await writer.commit({ key: '/w/a', expect: 0, value: bytes('1') });
    assert.ok(first.done);
    await recorder.reached(first.revision);
    const behind = new FeedRecorder(follower, '/w/', 1);
    await etcd.kill();
    await etcd.run();
    const second = await writer.commit({ key: '/w/a', expect: first.revision, value: bytes('2') });
    assert.ok(second.done);
    await writer.compact(second.revision);
    // The first ones had seen enough or are told; who starts before what is kept, with nothing in memory, is told in any case.
    const cold = await openEngine(`etcd://${etcd.address}`);
    const late = new FeedRecorder(cold, '/w/', first.revision - 1);
    await Promise.all([late.ended(), Promise.race([recorder.reached(second.revision), recorder.ended()])]);
    for (const { lost } of [late, recorder, behind]) assert.ok(lost === undefined || lost.code === 'compacted', lost?.message);
    assert.equal(late.lost?.revision, second.revision);
    await cold.close();
    const fresh = new FeedRecorder(follower, '/w/', second.revision);
    const third = await writer.commit({ key: '/w/a', expect: second.revision, value: bytes('3') });
    assert.ok(third.done);
    await fresh.reached(third.revision);
    assert.deepEqual(fresh.changes.map(({ value }) => text(value)), ['3']);
  });

  it('says that it is unavailable while etcd is away, and answers again afterwards', async () => {
    await etcd.kill();
    await assert.rejects(openEngine(`etcd://${etcd.address}`), (error) => error instanceof StorageFailure && error.code === 'unavailable' && error.message.includes(etcd.address));
    await etcd.run();
    assert.equal(await follower.head(), 1);
  });
});
