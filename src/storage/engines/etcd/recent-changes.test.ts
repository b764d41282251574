import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { collectGarbage } from '#test-support';
import type { Change } from '../../engine.ts';
import { RECENT_BYTES, RECENT_CHANGES } from './limits.ts';
import { Forgotten, RecentChanges } from './recent-changes.ts';

const START = 7;
const of = fc.constantFrom('created', 'updated', 'deleted');
/** A revision with a few changes of large values, or with many of small ones. */
const large = fc.record({ count: fc.nat(3), bytes: fc.constant(RECENT_BYTES / 4), of });
const small = fc.record({ count: fc.nat(RECENT_CHANGES / 2), bytes: fc.constant(1), of });

function changesOf({ count, bytes, of: what }: { readonly count: number; readonly bytes: number; readonly of: string }, revision: number): readonly Change[] {
  const value = { length: bytes / 2 } as Uint8Array;
  const change = { ...(what === 'deleted' ? {} : { value }), ...(what === 'created' ? {} : { before: { key: '/a', revision: 1, value } }) };
  return Array.from({ length: count }, () => ({ key: '/a', revision, ...change }));
}

const bytesOf = (changes: readonly Change[]): number => changes.reduce((sum, { value, before }) => sum + (value?.length ?? 0) + (before?.value.length ?? 0), 0);

describe('recent changes', () => {
  it('hold every change after their start, whole revisions only, and as many as memory for them is', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(large, small), { maxLength: 30, size: 'max' }), fc.nat(), (revisions, some) => {
        const recent = new RecentChanges(START);
        const batches = revisions.map((one, i) => changesOf(one, START + 1 + i));
        batches.forEach((batch, i) => recent.add(batch, START + 1 + i));
        const all = batches.flat();
        const { start } = recent;
        const newest = START + batches.length;
        for (const after of [start, start + (some % (newest - start + 1)), newest]) {
          const { items, position } = recent.read(after);
          assert.equal(position, newest);
          assert.deepEqual(items.map(({ revision }) => revision), all.filter(({ revision }) => revision > after).map(({ revision }) => revision));
        }
        assert.throws(() => recent.read(start - 1), Forgotten);
        const kept = all.filter(({ revision }) => revision > start);
        assert.ok(kept.length <= 2 * RECENT_CHANGES && bytesOf(kept) <= 2 * RECENT_BYTES, 'not more than twice what is to be kept');
        const withLastForgotten = all.filter(({ revision }) => revision >= start);
        const isFull = withLastForgotten.length > RECENT_CHANGES || bytesOf(withLastForgotten) > RECENT_BYTES;
        assert.ok(start === START || isFull, 'nothing is forgotten that there is room for');
      }),
    );
  });

  it('hold nothing in memory that they have forgotten', async () => {
    const recent = new RecentChanges(START);
    const add = (revision: number): WeakRef<Change> => {
      const change = { key: '/a', revision, value: new Uint8Array(1) };
      recent.add([change], revision);
      return new WeakRef(change);
    };
    const first = add(START + 1);
    let newest = START + 1;
    while (recent.start <= START) add(++newest);
    const last = add(++newest);
    await collectGarbage();
    assert.deepEqual([first.deref(), last.deref()?.revision], [undefined, newest]);
    assert.equal(recent.read(newest - 1).items.length, 1);
  });
});
