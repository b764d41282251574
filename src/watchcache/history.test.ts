import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ChangeEvents, createStored, type Stored } from '#storage';
import { History } from './history.ts';

const state = (bytes: number): Stored<never> => createStored({ key: '/a', value: new Uint8Array(bytes), revision: 1 }, () => ({})) as Stored<never>;
const change = (revision: number, before: number | undefined, after?: number): ChangeEvents<never> =>
  new ChangeEvents('/a', revision, { before: before === undefined ? undefined : state(before), after: after === undefined ? undefined : state(after) }, () => ({}));
const revisions = (changes: readonly { readonly revision: number }[] | undefined): number[] | undefined => changes?.map(({ revision }) => revision);

test('knows the changes after a revision, or that it does not know all of them', () => {
  const history = new History<never>({ maxChanges: 3 });
  history.reset(10);
  for (const revision of [12, 15, 16]) history.add(change(revision, 10));
  assert.deepEqual([9, 10, 12, 13, 16, 99].map((after) => revisions(history.after(after))), [undefined, [12, 15, 16], [15, 16], [15, 16], [], []]);
  history.add(change(20, 10));
  assert.deepEqual([10, 11, 12].map((after) => revisions(history.after(after))), [undefined, undefined, [15, 16, 20]]);
  history.reset(30);
  assert.deepEqual([20, 30].map((after) => revisions(history.after(after))), [undefined, []]);
});

const bytes = fc.option(fc.nat({ max: 60 }), { nil: undefined });
const step = fc.oneof(
  { weight: 12, arbitrary: fc.record({ before: bytes, after: bytes, isStateKept: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant('reset' as const) },
);

test('keeps as many of the last changes as it may, and no more bytes of states that it alone keeps', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      const bounds = { maxChanges: 6, maxBytes: 100 };
      const history = new History<never>(bounds);
      let kept: { readonly revision: number; readonly weight: number }[] = [];
      let start = 1;
      let revision = 1;
      history.reset(start);
      for (const does of steps) {
        revision++;
        if (does === 'reset') {
          history.reset((start = revision));
          kept = [];
        } else {
          const { before, after, isStateKept } = does;
          history.add(change(revision, before, after), isStateKept);
          kept.push({ revision, weight: (before ?? 0) + (isStateKept ? 0 : (after ?? 0)) });
        }
        while (kept.length > bounds.maxChanges || kept.reduce((sum, { weight }) => sum + weight, 0) > bounds.maxBytes) start = kept.shift()!.revision;
        assert.deepEqual([revisions(history.after(start - 1)), revisions(history.after(start))], [undefined, revisions(kept)]);
      }
    }),
  );
});
