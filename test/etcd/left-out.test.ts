// What an etcd does not tell that it ought to: somebody who follows it must be told to list anew, or would miss changes without knowing.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { status } from '@grpc/grpc-js';
import { deferred, silentLog, type Log } from '#base';
import { openEngine, StorageFailure, type Engine } from '#storage';
import { FeedRecorder } from './feed-recorder.ts';
import { ScriptedEtcd } from './scripted-etcd.ts';

/** To anything: the header of an answer, at revision 9 of the cluster 1. */
const AT_NINE = Buffer.from([0x0a, 4, 0x08, 1, 0x18, 9]);
/** To a watch that starts too early: it ends, and revision 8 is the oldest one that is kept. */
const COMPACTED_TO_EIGHT = Buffer.concat([AT_NINE, Buffer.from([0x20, 1, 0x28, 8])]);

interface Told {
  readonly key: string;
  readonly revision: number;
  /** How often the key was written; absent: it was deleted. */
  readonly version?: number;
  /** The revision of the value that stood there before, where that is told. */
  readonly before?: number;
}

const field = (number: number, bytes: Uint8Array): Buffer => Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
const entryOf = (key: string, revision: number, version: number): Buffer => Buffer.concat([field(1, Buffer.from(key)), Buffer.from([0x18, revision, 0x20, version])]);

function told(...events: readonly Told[]): Buffer {
  const written = events.map(({ key, revision, version, before }) => {
    const parts = [version === undefined ? Buffer.from([0x08, 1]) : Buffer.alloc(0), field(2, entryOf(key, revision, version ?? 0))];
    return field(11, Buffer.concat([...parts, ...(before === undefined ? [] : [field(3, entryOf(key, before, 1))])]));
  });
  return Buffer.concat([AT_NINE, ...written]);
}

async function open(t: TestContext, query = '', warn: Log['warn'] = () => {}): Promise<{ etcd: ScriptedEtcd; engine: Engine }> {
  const etcd = await ScriptedEtcd.start(() => AT_NINE);
  t.after(() => etcd.close());
  const engine = await openEngine(`etcd://${etcd.address}${query}`, { log: { ...silentLog, warn } });
  t.after(() => engine.close());
  return { etcd, engine };
}

const LEFT_OUT: Readonly<Record<string, Buffer>> = {
  'the first revision': told({ key: '/a', revision: 11, version: 1 }),
  'a revision between two': told({ key: '/a', revision: 10, version: 1 }, { key: '/b', revision: 12, version: 1 }),
  'everything since a revision that was told already': told({ key: '/a', revision: 9, version: 1 }, { key: '/b', revision: 10, version: 1 }),
  'the value that an update replaced': told({ key: '/a', revision: 10, version: 2 }),
  'the value that was deleted': told({ key: '/a', revision: 10 }),
  'all that was compacted meanwhile': COMPACTED_TO_EIGHT,
};

describe('a watch of etcd that leaves out', () => {
  for (const [what, answer] of Object.entries(LEFT_OUT)) {
    it(`${what}: who follows is told nothing of it but that it is lost, and may start anew`, async (t) => {
      const { etcd, engine } = await open(t);
      const recorder = new FeedRecorder(engine, '/', 9);
      (await etcd.watched()).write(answer);
      // Which revision is the oldest one, etcd is asked with a watch from the beginning.
      (await etcd.watched()).write(COMPACTED_TO_EIGHT);
      await recorder.ended();
      assert.ok(recorder.lost instanceof StorageFailure && recorder.lost.code === 'compacted' && recorder.lost.revision === 8, String(recorder.lost));
      assert.deepEqual(recorder.changes, []);
      const anew = await etcd.watched();
      const next = new FeedRecorder(engine, '/', 9);
      anew.write(told({ key: '/a', revision: 10, version: 2, before: 9 }));
      await next.reached(10);
      assert.deepEqual([next.lost, next.changes.map(({ key, before }) => [key, before?.revision])], [undefined, [['/a', 9]]]);
    });
  }

  it('what was compacted, while etcd answers nothing else: who comes before all share a watch again has one until then, and misses nothing', async (t) => {
    const { etcd, engine } = await open(t);
    const recorder = new FeedRecorder(engine, '/', 9);
    const refused = deferred<void>();
    etcd.script = () => (refused.resolve(), status.UNKNOWN);
    for (let i = 0; i < 2; i++) (await etcd.watched()).write(COMPACTED_TO_EIGHT);
    await recorder.ended();
    const early = new FeedRecorder(engine, '/', 9);
    const own = await etcd.watched();
    await refused.promise;
    etcd.script = () => AT_NINE;
    const shared = await etcd.watched();
    own.write(told({ key: '/a', revision: 10, version: 1 }));
    await early.reached(10);
    shared.write(told({ key: '/a', revision: 10, version: 1 }, { key: '/b', revision: 11, version: 1 }));
    await early.reached(11);
    assert.deepEqual([early.lost, early.changes.map(({ key }) => key)], [undefined, ['/a', '/b']]);
  });

  it('nothing, of a revision that removed very many keys at once: the changes go on', async (t) => {
    const { etcd, engine } = await open(t);
    const recorder = new FeedRecorder(engine, '/', 9);
    const removed = told({ key: '/a', revision: 10, before: 9 }).subarray(AT_NINE.length);
    (await etcd.watched()).write(Buffer.concat([AT_NINE, ...Array<Buffer>(200_000).fill(removed)]));
    await recorder.reached(10);
    assert.deepEqual([recorder.lost, recorder.changes.length], [undefined, 200_000]);
  });

  it('values of other programs only: nobody here misses them, and the changes go on', async (t) => {
    const { etcd, engine } = await open(t, '?prefix=/mine');
    const recorder = new FeedRecorder(engine, '/mine/', 9);
    const other = told({ key: '/other', revision: 10, version: 2 }, { key: '/mine-not', revision: 11 }, { key: '/mine/a', revision: 12, version: 1 });
    (await etcd.watched()).write(other);
    await recorder.reached(12);
    assert.deepEqual([recorder.lost, recorder.changes.map(({ key }) => key)], [undefined, ['/mine/a']]);
  });

  it('everything, because it is refused: that is told once until it is open again, and then nothing is missed', async (t) => {
    const causes: unknown[] = [];
    const { etcd, engine } = await open(t, '', (_message, fields) => void causes.push(fields?.['cause']));
    const recorder = new FeedRecorder(engine, '/', 9);
    const created = Buffer.concat([AT_NINE, Buffer.from([0x18, 1])]);
    const ended = (why: string): Buffer => Buffer.concat([created, Buffer.from([0x20, 1]), field(6, Buffer.from(why))]);
    const denied = 'rpc error: code = PermissionDenied desc = etcdserver: permission denied';
    const noLeader = 'etcdserver: no leader';
    for (const answer of [ended(denied), ended(denied), ended(noLeader)]) (await etcd.watched()).write(answer);
    const opened = await etcd.watched();
    for (const answer of [created, ended(noLeader)]) opened.write(answer);
    // What is between them may refuse it, too; that a member is away is no refusal.
    for (const code of [status.UNIMPLEMENTED, status.UNIMPLEMENTED, status.UNAVAILABLE]) (await etcd.watched()).emit('error', { code, details: 'no watches here' });
    (await etcd.watched()).write(told({ key: '/a', revision: 10, version: 1 }));
    await recorder.reached(10);
    assert.deepEqual([recorder.lost, recorder.changes.map(({ key }) => key)], [undefined, ['/a']]);
    const advised = 'etcd: cannot follow changes: etcdserver: permission denied. The client certificate needs a role that may read and write all keys';
    const leaderless = `etcd: cannot follow changes: ${noLeader}`;
    assert.deepEqual(causes, [advised, leaderless, leaderless, 'etcd: cannot follow changes: no watches here. Perhaps what answers there is no etcd']);
  });
});
