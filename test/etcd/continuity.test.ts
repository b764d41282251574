import assert from 'node:assert/strict';
import { on, once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { status } from '@grpc/grpc-js';
import { openEngine, StorageFailure, type Engine } from '#storage';
import { EtcdProcess, NO_ETCD } from './etcd-process.ts';
import { FeedRecorder } from './feed-recorder.ts';
import { ScriptedEtcd, type Script } from './scripted-etcd.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const isBroken = (error: unknown): boolean => error instanceof StorageFailure && error.code === 'unavailable' && /Start this server anew/.test(error.message);

interface Line {
  readonly message: string;
  readonly cause: unknown;
}

async function open(t: TestContext, ...addresses: readonly string[]): Promise<{ engine: Engine; log: Line[] }> {
  const log: Line[] = [];
  const note = (message: string, fields: Readonly<Record<string, unknown>> = {}): void => void log.push({ message, cause: fields['cause'] });
  const engine = await openEngine(`etcd://${addresses.join(',')}`, { log: { info: note, warn: note, error: note } });
  t.after(() => engine.close());
  return { engine, log };
}

/** An answer to a range that found nothing, or to a transaction whose condition did not hold. */
const answerOf = (clusterId: number, revision: number): Buffer => Buffer.from([0x0a, 4, 0x08, clusterId, 0x18, revision]);
/** To a transaction that was carried out. */
const doneAt = (clusterId: number, revision: number): Buffer => Buffer.concat([answerOf(clusterId, revision), Buffer.from([0x10, 1])]);

/** An entry that was created at that revision. */
const entryAt = (revision: number, key: string): Buffer => Buffer.concat([Buffer.from([0x0a, key.length]), Buffer.from(key), Buffer.from([0x18, revision, 0x20, 1])]);

/** To a watch: a key was created. */
function toldAt(clusterId: number, revision: number, key: string): Buffer {
  const entry = entryAt(revision, key);
  const event = Buffer.concat([Buffer.from([0x12, entry.length]), entry]);
  return Buffer.concat([answerOf(clusterId, revision), Buffer.from([0x5a, event.length]), event]);
}

/** To a range at `revision` that found this entry. */
const foundAt = (clusterId: number, revision: number, entry: Buffer): Buffer => Buffer.concat([answerOf(clusterId, revision), Buffer.from([0x12, entry.length]), entry]);

async function scripted(t: TestContext, script: Script): Promise<ScriptedEtcd> {
  const etcd = await ScriptedEtcd.start(script);
  t.after(() => etcd.close());
  return etcd;
}

describe('etcd that is not what it was', () => {
  it('an etcd that was emptied under a server: nothing of it is believed, followers are told, the log says it once', { skip: NO_ETCD }, async (t) => {
    const etcd = await EtcdProcess.start();
    t.after(() => etcd.remove());
    const { engine, log } = await open(t, etcd.address);
    const recorder = new FeedRecorder(engine, '/', 1);
    for (let i = 0; i < 5; i++) assert.ok((await engine.commit({ key: `/${i}`, expect: 0, value: bytes('x') })).done);
    await recorder.reached(6);
    await etcd.remove();
    await etcd.run();
    // Nobody asks: that the watch was opened anew is enough.
    await recorder.ended();
    assert.ok(isBroken(recorder.lost), String(recorder.lost));
    await assert.rejects(engine.head(), isBroken);
    await assert.rejects(engine.get('/1'), isBroken);
    await assert.rejects(engine.commit({ key: '/new', expect: 0, value: bytes('x') }), isBroken);
    const late = new FeedRecorder(engine, '/', 6);
    await late.ended();
    assert.ok(isBroken(late.lost));
    assert.equal(log.filter(({ message }) => message === 'etcd is not the store any more that it was').length, 1);
    const anew = await open(t, etcd.address);
    assert.equal(await anew.engine.head(), 1);
  });

  it('revisions that go back, and a write at a revision that was there before, are found by the first answer', async (t) => {
    for (const second of [answerOf(1, 8), doneAt(1, 9)]) {
      const etcd = await scripted(t, () => answerOf(1, 9));
      const { engine } = await open(t, etcd.address);
      etcd.script = () => second;
      await assert.rejects(engine.commit({ key: '/a', expect: 0, value: bytes('x') }), isBroken);
      etcd.script = () => answerOf(1, 20);
      await assert.rejects(engine.head(), isBroken);
    }
  });

  it('revisions that went back, and past those that were seen before a watch is opened again, are found by what it was told last', async (t) => {
    for (const [found, isSame] of [
      [foundAt(1, 30, entryAt(10, '/a')), true],
      [answerOf(1, 30), false],
      [foundAt(1, 30, entryAt(8, '/a')), false],
    ] as const) {
      const etcd = await scripted(t, () => answerOf(1, 9));
      const { engine, log } = await open(t, etcd.address);
      const recorder = new FeedRecorder(engine, '/', 9);
      const first = await etcd.watched();
      first.write(toldAt(1, 10, '/a'));
      await recorder.reached(10);
      etcd.script = () => found;
      first.end();
      if (isSame) {
        (await etcd.watched()).write(toldAt(1, 11, '/b'));
        await recorder.reached(11);
      } else await recorder.ended();
      assert.equal(isBroken(recorder.lost), !isSame);
      assert.deepEqual(log.map(({ message }) => message), isSame ? [] : ['etcd is not the store any more that it was']);
    }
  });

  it('revisions that went back, and past what was there when a server started that has heard of no change, are found by what it started with', async (t) => {
    for (const [found, isSame] of [
      [foundAt(1, 30, entryAt(9, '/a')), true],
      [answerOf(1, 30), false],
      [foundAt(1, 30, entryAt(8, '/a')), false],
    ] as const) {
      const etcd = await scripted(t, () => answerOf(1, 9));
      const { engine } = await open(t, etcd.address);
      const recorder = new FeedRecorder(engine, '/', 9);
      const first = await etcd.watched();
      const requests = on(first, 'data');
      const next = async (): Promise<string> => ((await requests.next()).value as [Buffer])[0].toString('hex');
      // What comes after revision 9, and, as watch 1, what stands there.
      assert.deepEqual([await next(), await next()], ['0a0c0a0100120100180a30014001', '0a0e0a01001201001809300138014001']);
      first.write(Buffer.concat([answerOf(1, 9), Buffer.from([0x10, 1, 0x18, 1])]));
      first.write(Buffer.concat([toldAt(1, 9, '/a'), Buffer.from([0x10, 1])]));
      // Watch 1 has told what it was asked for.
      assert.equal(await next(), '12020801');
      etcd.script = () => found;
      first.end();
      if (isSame) {
        const second = await etcd.watched();
        const [request] = (await once(second, 'data')) as [Buffer];
        assert.equal(request.toString('hex'), '0a0c0a0100120100180a30014001');
        second.write(toldAt(1, 10, '/b'));
        await recorder.reached(10);
      } else await recorder.ended();
      assert.deepEqual([isBroken(recorder.lost), recorder.changes.map(({ key }) => key)], [!isSame, isSame ? ['/b'] : []]);
    }
  });

  it('another cluster behind the only address is not believed', async (t) => {
    const etcd = await scripted(t, () => answerOf(1, 9));
    const { engine, log } = await open(t, etcd.address);
    etcd.script = () => answerOf(2, 10);
    await assert.rejects(engine.get('/a'), isBroken);
    assert.match(String(log[0]?.cause), /another cluster/);
  });

  it('a member of another cluster is passed over, and named in the log once', async (t) => {
    const own = await scripted(t, () => answerOf(1, 9));
    const foreign = await scripted(t, () => answerOf(2, 50));
    const { engine, log } = await open(t, own.address, foreign.address);
    for (let round = 0; round < 3; round++) {
      let asked = 0;
      own.script = () => (asked++ === 0 ? status.UNAVAILABLE : answerOf(1, 9));
      assert.equal(await engine.head(), 9);
    }
    const told = log.filter(({ message }) => message === 'a member of etcd is of another cluster');
    assert.equal(told.length, 1);
    assert.ok(String(told[0]?.cause).includes(foreign.address));
  });

  it('a watch that opens at a member of another cluster goes on at the next one', async (t) => {
    const own = await scripted(t, () => answerOf(1, 9));
    const foreign = await scripted(t, () => answerOf(2, 50));
    const { engine } = await open(t, own.address, foreign.address);
    const recorder = new FeedRecorder(engine, '/', 9);
    (await own.watched()).end();
    // What is told there is of other objects.
    (await foreign.watched()).write(toldAt(2, 10, '/foreign'));
    (await own.watched()).write(toldAt(1, 10, '/own'));
    await recorder.reached(10);
    assert.deepEqual([recorder.lost, recorder.changes.map(({ key }) => key)], [undefined, ['/own']]);
  });

  it('an answer without a revision says nothing: neither that nothing is there, nor that something was written', async (t) => {
    const etcd = await scripted(t, () => answerOf(1, 9));
    const { engine } = await open(t, etcd.address);
    let wrong: Buffer = Buffer.alloc(0);
    let left = 0;
    etcd.script = () => (left-- > 0 ? wrong : answerOf(1, 9));
    for (wrong of [Buffer.alloc(0), Buffer.from([0x0a, 0]), Buffer.from([0x0a, 2, 0x18, 0]), Buffer.from([0x0a, 11, 0x18, ...Array.from({ length: 9 }, () => 0xff), 1])]) {
      left = 1;
      assert.equal(await engine.get('/a'), undefined);
      assert.equal(left, -1);
      left = 1;
      await assert.rejects(engine.commit({ key: '/a', expect: 0, value: bytes('x') }), (error) => error instanceof StorageFailure && error.code === 'unavailable');
    }
    assert.equal(await engine.head(), 9);
  });
});
