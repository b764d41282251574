import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillClock } from '#base';
import { collectGarbage } from '#test-support';
import { Snapshots } from './snapshots.ts';

const found = (snapshots: Snapshots<never>): number[] => Array.from({ length: 10 }, (_, revision) => revision).filter((revision) => snapshots.at(revision) !== undefined);

test('the last few snapshots are found, those asked for again longer than others', () => {
  const snapshots = new Snapshots<never>(new StillClock());
  for (const revision of [1, 2, 3, 4]) snapshots.keep(revision, []);
  snapshots.keep(1, []);
  assert.deepEqual(found(snapshots), [1, 2, 3, 4]);
  snapshots.keep(5, []);
  assert.deepEqual(found(snapshots), [1, 3, 4, 5]);
  snapshots.clear();
  assert.deepEqual(found(snapshots), []);
});

test('a snapshot is found for half a minute, and leaves memory then', async () => {
  const clock = new StillClock();
  const snapshots = new Snapshots<never>(clock);
  const keep = (revision: number): WeakRef<readonly []> => {
    const snapshot = [] as const;
    snapshots.keep(revision, snapshot);
    return new WeakRef(snapshot);
  };
  const old = keep(1);
  clock.turn(29_000);
  keep(2);
  assert.deepEqual(found(snapshots), [1, 2]);
  clock.turn(1_000);
  assert.deepEqual(found(snapshots), [2]);
  snapshots.forgetOld();
  assert.deepEqual(found(snapshots), [2]);
  await collectGarbage();
  assert.equal(old.deref(), undefined);
  assert.deepEqual(found(snapshots), [2]);
});
