import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Revision } from '../entry.ts';
import type { StorageFailure } from '../storage-failure.ts';
import { isFailure, Recorder, type TestedEngine } from './test-support.ts';

/** Tests of `follow`. */
export function feedSuite(tested: TestedEngine): void {
  const { put, remove } = tested;

  it('R4.5-02 tells every change under the prefix once and in order, with what stood there before', async () => {
    const recorder = new Recorder(tested.engine, '/a/', 1);
    await put('/a/1', 'x');
    await put('/b/1', 'other');
    await put('/a/1', 'y');
    await put('/a', 'not under it');
    await remove('/a/1');
    await recorder.reached(6);
    assert.deepEqual(recorder.summary(), ['2 /a/1=x was -', '4 /a/1=y was x', '6 /a/1=- was y']);
    assert.equal(recorder.changes[1]?.before?.revision, 2);
  });

  it('reports progress of other keys too', async () => {
    const recorder = new Recorder(tested.engine, '/a/', 1);
    await put('/b', 'x');
    await recorder.reached(2);
    assert.deepEqual(recorder.changes, []);
  });

  it('starts anywhere in what is kept', async () => {
    for (let i = 0; i < 5; i++) await put('/a', `${i}`);
    await tested.engine.compact(4);
    const recorder = new Recorder(tested.engine, '/', 4);
    await recorder.reached(6);
    assert.deepEqual(recorder.summary(), ['5 /a=3 was 2', '6 /a=4 was 3']);
    const fresh = new Recorder(tested.engine, '/', 6);
    await put('/a', '5');
    await fresh.reached(7);
    assert.deepEqual(fresh.summary(), ['7 /a=5 was 4']);
  });

  it('tells who starts in the past what it has told who was there: deletes, too', async () => {
    const there = new Recorder(tested.engine, '/a/', 1);
    for (const value of ['x', 'y']) {
      await put('/a/1', value);
      await put('/b/1', value);
      await remove('/a/1');
    }
    await remove('/b/1');
    const head = await tested.engine.head();
    await there.reached(head);
    for (let after = 1; after < head; after++) {
      const late = new Recorder(tested.engine, '/a/', after);
      await Promise.race([late.reached(head), late.ended()]);
      assert.deepEqual(late.summary(), there.summary().filter((change) => Number.parseInt(change) > after), `${after}`);
    }
  });

  it('is lost when it starts before what is kept, once, and is told no more', async () => {
    for (let i = 0; i < 5; i++) await put('/a', `${i}`);
    await tested.engine.compact(4);
    const recorder = new Recorder(tested.engine, '/', 3);
    await recorder.ended();
    assert.ok(isFailure('compacted', 4)(recorder.lost));
    await put('/a', 'later');
    await new Recorder(tested.engine, '/', 6).reached(7);
    assert.deepEqual([recorder.changes, recorder.losses], [[], 1]);
  });

  it('a follower from which is taken what it has yet to hear is lost, or hears it still: there is no gap', async () => {
    await Promise.all(Array.from({ length: 1_500 }, (_, n) => put(`/a/${n}`, '', 0)));
    const head = await tested.engine.head();
    const recorder = new Recorder(tested.engine, '/', 1);
    await tested.engine.compact(head);
    await Promise.race([recorder.reached(head), recorder.ended()]);
    if (recorder.lost === undefined) assert.equal(recorder.changes.length, 1_500);
    else assert.ok(isFailure('compacted')(recorder.lost));
    assert.deepEqual(recorder.changes.map(({ revision }) => revision), recorder.changes.map((_, n) => n + 2));
  });

  it('R4.6-37 waits for a revision that does not exist yet', async () => {
    const recorder = new Recorder(tested.engine, '/', 3);
    for (let i = 0; i < 4; i++) await put('/a', `${i}`);
    await recorder.reached(5);
    assert.deepEqual(recorder.summary(), ['4 /a=2 was 1', '5 /a=3 was 2']);
  });

  it('ends when told to and when the store is closed', async () => {
    const stopped = new Recorder(tested.engine, '/', 1);
    const other = new Recorder(tested.engine, '/', 1);
    await put('/a', '1');
    await stopped.reached(2);
    stopped.stop();
    await put('/a', '2');
    await other.reached(3);
    assert.equal(stopped.changes.length, 1);
    await tested.engine.close();
    await other.ended();
    assert.ok(isFailure('unavailable')(other.lost));
    assert.equal(stopped.lost, undefined);
    const late = new Recorder(tested.engine, '/', 1);
    await late.ended();
    assert.ok(isFailure('unavailable')(late.lost));
    await assert.rejects(tested.engine.get('/a'), isFailure('unavailable'));
  });

  it('tells nothing to a follower that has ended before it begins', async () => {
    const told: string[] = [];
    const feed = { changes: () => void told.push('changes'), lost: () => void told.push('lost') };
    for (const after of [1, 2]) tested.engine.follow('/', after, feed, AbortSignal.abort());
    const other = new Recorder(tested.engine, '/', 1);
    await put('/a', '1');
    await put('/a', '2');
    await other.reached(3);
    assert.deepEqual(told, []);
  });

  it('survives a follower that throws', async () => {
    const bad = { lost: undefined as StorageFailure | undefined };
    const feed = {
      changes() {
        throw new Error('broken');
      },
      lost: (why: StorageFailure) => void (bad.lost = why),
    };
    tested.engine.follow('/', 1, feed, new AbortController().signal);
    const good = new Recorder(tested.engine, '/', 1);
    await put('/a', '1');
    await put('/a', '2');
    await good.reached(3);
    assert.equal(good.changes.length, 2);
    assert.ok(isFailure('unavailable')(bad.lost));
  });

  it('has no gap and no repetition for followers that come while others write', async () => {
    const recorders: Recorder[] = [];
    const writer = async (id: number): Promise<void> => {
      for (let i = 0; i < 60; i++) {
        await put(`/w/${id}`, `${i}`);
        if (i % 10 === id % 10) recorders.push(new Recorder(tested.engine, '/w/', 1 + ((i * 7) % (await tested.engine.head()))));
      }
    };
    const starts: Revision[] = [];
    await Promise.all(Array.from({ length: 10 }, (_, id) => writer(id)));
    const head = await tested.engine.head();
    assert.equal(head, 601);
    for (const recorder of recorders) {
      await recorder.reached(head);
      const revisions = recorder.changes.map((change) => change.revision);
      starts.push(revisions[0]!);
      assert.deepEqual(revisions, Array.from({ length: head + 1 - revisions[0]! }, (_, i) => revisions[0]! + i));
      for (const change of recorder.changes) assert.ok((change.before?.revision ?? 0) < change.revision);
    }
    assert.ok(new Set(starts).size > 20, 'followers started at different revisions');
  });
}
