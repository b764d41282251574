import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { status } from '@grpc/grpc-js';
import { deferred, silentLog } from '#base';
import { openEngine, StorageFailure, type Engine, type Revision } from '#storage';
import { TurnedClock } from '#testing';
import { EtcdProcess, NO_ETCD } from './etcd-process.ts';
import { FeedRecorder } from './feed-recorder.ts';
import { ScriptedEtcd } from './scripted-etcd.ts';

const INTERVAL_SECONDS = 60;
const MIB = 1 << 20;
/** An answer of cluster 1 at revision 9. */
const AT_NINE = Buffer.from([0x0a, 4, 0x08, 1, 0x18, 9]);
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('history in etcd', { skip: NO_ETCD }, () => {
  let etcd: EtcdProcess;
  let clock: TurnedClock;
  let engines: Engine[];

  beforeEach(async () => {
    etcd = await EtcdProcess.start();
    clock = new TurnedClock();
    const url = `etcd://${etcd.address}?compaction-seconds=${INTERVAL_SECONDS}`;
    engines = await Promise.all([1, 2, 3].map(() => openEngine(url, { clock })));
  });
  afterEach(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
    await etcd.remove();
  });

  const put = async (value: string): Promise<Revision> => {
    const [engine] = engines as [Engine, ...Engine[]];
    const commit = await engine.commit({ key: '/a', expect: (await engine.get('/a'))?.revision ?? 0, value: bytes(value) });
    assert.ok(commit.done);
    return commit.revision;
  };
  /** One interval goes by, and every server has had its turn. */
  const passInterval = async (): Promise<void> => {
    clock.turn(INTERVAL_SECONDS * 1000);
    for (const engine of engines) await engine.compact(1);
  };
  const isKept = async (revision: Revision): Promise<boolean> => {
    try {
      await engines.at(-1)!.get('/a', revision);
      return true;
    } catch (error) {
      if (error instanceof StorageFailure && error.code === 'compacted') return false;
      throw error;
    }
  };

  it('is kept for one interval at least and two at most, and forgotten once for all servers', async () => {
    const first = await put('1');
    const second = await put('2');
    await passInterval();
    assert.equal(await isKept(first), true);
    const third = await put('3');
    await passInterval();
    assert.deepEqual([await isKept(first), await isKept(second)], [false, false]);
    assert.equal(await isKept(third), true);
    const agreed = await engines[2]!.get('compact_rev_key');
    // Two rounds of three servers wrote the key twice: one of them each time.
    const head = await engines[0]!.head();
    assert.equal(head, third + 1);
    assert.equal(agreed?.revision, head);
  });

  it('is forgotten in the same time by a server that is alone', async () => {
    await Promise.all(engines.slice(1).map((engine) => engine.close()));
    engines.length = 1;
    const first = await put('1');
    await put('2');
    await passInterval();
    assert.equal(await isKept(first), true);
    await passInterval();
    assert.equal(await isKept(first), false);
  });

  it('shows no key of its own to those who follow, but counts on', async () => {
    const recorder = new FeedRecorder(engines[1]!, '/', 1);
    const last = await put('1');
    await passInterval();
    await recorder.reached(await engines[0]!.head());
    assert.ok(recorder.upTo > last);
    assert.deepEqual(recorder.changes.map(({ key }) => key), ['/a']);
  });
});

it('history in an etcd that is full is forgotten as ever, by every server: it may be what fills it', { skip: NO_ETCD, timeout: 60_000 }, async (t) => {
  const etcd = await EtcdProcess.start([`--quota-backend-bytes=${4 * MIB}`]);
  t.after(() => etcd.remove());
  const clock = new TurnedClock();
  const logged: string[] = [];
  const log = { ...silentLog, warn: (message: string) => void logged.push(message) };
  const open = (): Promise<Engine> => openEngine(`etcd://${etcd.address}?compaction-seconds=${INTERVAL_SECONDS}`, { clock, log });
  const engines = [await open(), await open()] as const;
  t.after(() => Promise.all(engines.map((engine) => engine.close())));
  const [engine] = engines;
  const from = await engine.head();
  const recorders = engines.map((one) => new FeedRecorder(one, '/', from));
  let newest = 0;
  const replace = async (): Promise<boolean> => {
    const commit = await engine.commit({ key: '/a', expect: newest, value: new Uint8Array(MIB) });
    if (commit.done) newest = commit.revision;
    return commit.done;
  };
  assert.equal(await replace(), true);
  const first = newest;
  // etcd measures itself every tenth of a second, and takes what comes until then.
  while (await replace().catch((error: unknown) => !(error instanceof StorageFailure && error.code === 'full')));
  newest = (await engine.get('/a'))?.revision ?? 0;
  const passInterval = async (): Promise<void> => {
    // Time stands still until all have been told: what a watch has not come to yet could be forgotten before it.
    const head = await engine.head();
    for (const recorder of recorders) await recorder.reached(head);
    clock.turn(INTERVAL_SECONDS * 1000);
    for (const one of engines) await one.compact(1);
  };
  await passInterval();
  assert.equal((await engine.get('/a', first))?.revision, first);
  await passInterval();
  await assert.rejects(engine.get('/a', first), (error) => error instanceof StorageFailure && error.code === 'compacted');
  assert.equal((await engine.get('/a'))?.revision, newest);
  // What is in the log is that writes are refused, and nothing of the history.
  assert.deepEqual(new Set(logged), new Set(['etcd takes no writes just now']));
});

it('says in words why history cannot be forgotten while etcd is away', async (t) => {
  const etcd = await ScriptedEtcd.start(() => AT_NINE);
  t.after(() => etcd.close());
  const clock = new TurnedClock();
  const told = deferred<unknown>();
  const log = { ...silentLog, warn: (message: string, fields?: unknown) => (message === 'history could not be compacted' ? told.resolve(fields) : undefined) };
  const engine = await openEngine(`etcd://${etcd.address}?compaction-seconds=${INTERVAL_SECONDS}`, { clock, log });
  t.after(() => engine.close());
  etcd.script = () => ({ code: status.UNAVAILABLE, details: 'etcdserver: no leader' });
  clock.turn(INTERVAL_SECONDS * 1000);
  assert.deepEqual(await told.promise, { cause: 'etcd: cannot agree on who compacts: etcdserver: no leader. Perhaps too few of its members run: it answers while more than half of them do' });
});
