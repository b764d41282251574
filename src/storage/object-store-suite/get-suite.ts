import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Freshness } from '../object-store.ts';
import { isFailure, keyOfNote, note, setText, type TestedStore } from './test-support.ts';

/** Tests of `get`. */
export function getSuite(tested: TestedStore): void {
  const { create, update } = tested;

  it('R4.6-02 R4.6-03 R4.6-04 answers as new as asked', async () => {
    await create(note('a', '1'));
    await update('a', setText('2'));
    await create(note('b', '1'));
    const text = async (freshness: Freshness): Promise<string | undefined> => (await tested.store.get(keyOfNote('a'), freshness))?.object.text;
    assert.deepEqual(await Promise.all([text('latest'), text('any'), text({ notOlderThan: 4 }), text({ exactly: 2 }), text({ exactly: 3 })]), ['2', '2', '2', '1', '2']);
    assert.equal(await text({ exactly: 1 }), undefined);
    await assert.rejects(tested.afterWaiting(text({ notOlderThan: 5 })), isFailure('future'));
    await assert.rejects(text({ exactly: 5 }), isFailure('future'));
    await tested.engine.compact(3);
    await assert.rejects(text({ exactly: 2 }), isFailure('compacted'));
  });

  it('shows labels and fields', async () => {
    await create(note('a', 'hello', { app: 'x' }));
    const stored = (await tested.store.get(keyOfNote('a'), 'latest'))!;
    assert.deepEqual({ ...stored.labels }, { app: 'x' });
    assert.deepEqual({ ...stored.fields }, { 'metadata.name': 'a', 'metadata.namespace': 'n', text: 'hello' });
  });
}
