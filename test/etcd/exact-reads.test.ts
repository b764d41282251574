import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { status } from '@grpc/grpc-js';
import { deferred } from '#base';
import { openEngine, StorageFailure, type Engine } from '#storage';
import { ScriptedEtcd } from './scripted-etcd.ts';

async function open(t: TestContext, first: Buffer): Promise<{ etcd: ScriptedEtcd; engine: Engine }> {
  const etcd = await ScriptedEtcd.start(() => first);
  t.after(() => etcd.close());
  const engine = await openEngine(`etcd://${etcd.address}`);
  t.after(() => engine.close());
  return { etcd, engine };
}

const field = (number: number, bytes: Uint8Array): Buffer => Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);

/** To a range: one entry, and whether others follow, as of a revision of the cluster 1. */
function answerOf(key: string, entry: number, { at, more, bytes = 0 }: { readonly at: number; readonly more: boolean; readonly bytes?: number }): Buffer {
  const found = field(2, Buffer.concat([field(1, Buffer.from(key)), Buffer.from([0x18, entry, 0x20, 1]), field(5, Buffer.alloc(bytes))]));
  return Buffer.concat([field(1, Buffer.from([0x08, 1, 0x18, at])), found, Buffer.from([...(more ? [0x18, 1] : []), 0x20, more ? 2 : 1])]);
}

it('R4.4-05 a range that etcd tells in parts is of one revision, whatever is written between two of them', async (t) => {
  const { etcd, engine } = await open(t, answerOf('/a', 5, { at: 9, more: true }));
  etcd.script = (_, request) => {
    if (!request.includes('/a\0')) return answerOf('/a', 5, { at: 9, more: true });
    // Since then it was written, unless that revision is asked for.
    return answerOf('/b', request.includes(Buffer.from([0x20, 9])) ? 6 : 12, { at: 12, more: false });
  };
  const page = await engine.scan({ start: '/', end: '0', count: true });
  assert.deepEqual(page.entries.map(({ key, revision }) => [key, revision]), [['/a', 5], ['/b', 6]]);
  assert.deepEqual([page.revision, page.more, page.total], [9, false, 2]);
});

it('of a range that may end by its weight no more is asked for than is heavy enough, but for the second entry', async (t) => {
  const { etcd, engine } = await open(t, answerOf('/a', 5, { at: 9, more: false }));
  for (const [maxBytes, count] of [[1, 2], [20, 2], [21, 3], [1_000, 5]] as const) {
    let told = 0;
    etcd.script = () => answerOf(`/${told}`, 5, { at: 9, more: ++told < 5, bytes: 10 });
    const { entries, more } = await engine.scan({ start: '/', end: '0', maxBytes });
    assert.deepEqual([entries.length, more, told], [count, count < 5, count]);
  }
});

it('what etcd refuses is named: which key, to which revision, or what is newest', async (t) => {
  const { etcd, engine } = await open(t, answerOf('/a', 5, { at: 9, more: false }));
  etcd.script = () => ({ code: status.PERMISSION_DENIED, details: 'etcdserver: permission denied' });
  const refused: readonly (readonly [asked: Promise<unknown>, what: string])[] = [
    [engine.head(), 'cannot read the newest revision'],
    [engine.get('/a'), 'cannot read /a'],
    [engine.get('/a', 3), 'cannot read /a'],
    [engine.commit({ key: '/b', expect: 5 }), 'cannot write /b'],
    [engine.compact(3), 'cannot compact to 3'],
  ];
  const says = (what: string) => (error: unknown): boolean => error instanceof StorageFailure && error.message.startsWith(`etcd: ${what}: etcdserver: permission denied. `);
  await Promise.all(refused.map(([asked, what]) => assert.rejects(asked, says(what))));
});

it('the newest revision is asked for after whoever wants to know it has come: what another call is about to be told may be older', async (t) => {
  const { etcd, engine } = await open(t, answerOf('/a', 5, { at: 9, more: false }));
  let at = 9;
  const asked = deferred<void>();
  etcd.script = () => {
    asked.resolve();
    return answerOf('/a', 5, { at: ++at, more: false });
  };
  const first = engine.head();
  await asked.promise;
  // Others write now, before the first one has its answer.
  const later = [engine.head(), engine.head()];
  assert.deepEqual([await first, ...(await Promise.all(later))], [10, 11, 11]);
});

it('the newest revision is told to who asks for it though another is not answered yet: a slow network is crossed once', async (t) => {
  const { etcd, engine } = await open(t, answerOf('/a', 5, { at: 9, more: false }));
  const asked = deferred<void>();
  const late = deferred<Buffer>();
  etcd.script = () => {
    etcd.script = () => answerOf('/a', 5, { at: 10, more: false });
    asked.resolve();
    return late.promise;
  };
  const first = engine.head();
  await asked.promise;
  assert.equal(await Promise.race([first, engine.head()]), 10);
  late.resolve(answerOf('/a', 5, { at: 9, more: false }));
  assert.equal(await first, 9);
});
