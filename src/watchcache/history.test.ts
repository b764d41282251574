import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeEvents, createStored, type Stored } from '#storage';
import { History } from './history.ts';

const state = (bytes: number): Stored => createStored({ key: '/a', value: new Uint8Array(bytes), revision: 1 }, () => ({}));
const change = (revision: number, beforeBytes = 10): ChangeEvents<never> =>
  new ChangeEvents('/a', revision, { before: state(beforeBytes) as Stored<never>, after: undefined }, () => ({}));
const revisions = (changes: readonly { readonly revision: number }[] | undefined): number[] | undefined => changes?.map(({ revision }) => revision);

test('knows the changes after a revision, or that it does not know all of them', () => {
  const history = new History<never>({ maxChanges: 3 });
  history.reset(10);
  for (const revision of [12, 15, 16]) history.add(change(revision));
  assert.deepEqual([9, 10, 12, 13, 16, 99].map((after) => revisions(history.after(after))), [undefined, [12, 15, 16], [15, 16], [15, 16], [], []]);
  history.add(change(20));
  assert.deepEqual([10, 11, 12].map((after) => revisions(history.after(after))), [undefined, undefined, [15, 16, 20]]);
  history.reset(30);
  assert.deepEqual([20, 30].map((after) => revisions(history.after(after))), [undefined, []]);
});

test('keeps no more bytes of replaced states than it may', () => {
  const history = new History<never>({ maxBytes: 100 });
  history.reset(1);
  for (let revision = 2; revision <= 20; revision++) history.add(change(revision, 30));
  assert.deepEqual(revisions(history.after(17)), [18, 19, 20]);
  assert.equal(history.after(16), undefined);
  history.add(change(21, 1_000));
  assert.equal(history.after(20), undefined);
  assert.deepEqual(history.after(21), []);
});
