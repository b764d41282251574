import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillClock } from '#base';
import type { Change, Write } from '../../engine.ts';
import type { Revision } from '../../entry.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { GroupCommit, type WritingThread } from './group-commit.ts';
import type { WriteOutcome } from './messages.ts';
import type { Reader } from './reader.ts';

const value = new Uint8Array();

/** Whoever expects this revision finds no space for a value. */
const WITHOUT_SPACE = 99;

/** A store in which revisions up to 9 stand, and those of `lost` cannot be read any more. */
function open(lost: readonly Revision[]) {
  const told: unknown[] = [];
  const writing: string[] = [];
  const entry = (revision: Revision) => {
    if (lost.includes(revision)) throw new Error(`revision ${revision}`);
    return { key: '/a', value, revision };
  };
  const reader = {
    keep: () => {},
    entry,
    change: (revision: Revision, key: string, previous: Revision): Change => ({ key, revision, before: entry(previous) }),
  } as unknown as Reader;
  let head = 9;
  const thread: WritingThread = {
    async request(order) {
      assert.equal(order.kind, 'write');
      const outcomes = order.writes.map(({ expect, valueAt }): WriteOutcome => {
        if (expect === WITHOUT_SPACE && valueAt !== undefined) return { done: false, noSpace: true };
        return expect < 5 ? { done: false, found: expect + 1 } : { done: true, revision: ++head, previous: expect };
      });
      return { kind: 'written', outcomes, head };
    },
  };
  const commits = new GroupCommit(thread, reader, new StillClock(), {
    committed: (changes, upTo) => told.push([...changes.map(({ revision }) => revision), upTo]),
    unpublishable: (why, upTo) => told.push([String(why), upTo]),
    unreadable: (cause) => new StorageFailure('corrupt', (cause as Error).message),
    wrote: () => writing.push('goes on'),
    failed: (why) => (told.push(why), writing.push(String(why))),
    noSpace: () => new StorageFailure('full', 'no space'),
    refusal: () => undefined,
    expiring: () => {},
  });
  const commit = (...expected: Revision[]) =>
    Promise.all(expected.map((expect) => commits.commit({ key: '/a', expect, value } satisfies Write).then((one) => (one.done ? one.revision : one.found?.revision), String)));
  return { commits, commit, told, writing };
}

test('each writer is told what became of its write, and those who follow what was written', async () => {
  const { commit, told } = open([]);
  assert.deepEqual(await commit(1, 6, 7), [2, 10, 11]);
  assert.deepEqual(told, [[10, 11, 11]]);
});

test('what was written stays written where nobody can read what it replaced, and who follows is told that something is missing', async () => {
  const { commit, told } = open([2, 6]);
  assert.deepEqual(await commit(5, 1, 6, 7), [10, 'StorageFailure: revision 2', 11, 12]);
  assert.deepEqual(told, [['StorageFailure: revision 6', 12]]);
  assert.deepEqual(await commit(8), [13]);
  assert.deepEqual(told.slice(1), [[13, 13]]);
});

test('a store has space again once a value was written, and all that came with it: not where something was deleted, or nothing was done', async () => {
  const { commits, commit, writing } = open([]);
  const full = 'StorageFailure: no space';
  assert.deepEqual(await commit(WITHOUT_SPACE, 7, WITHOUT_SPACE), [full, 10, full]);
  assert.deepEqual(writing, [full]);
  assert.deepEqual(await commits.commit({ key: '/a', expect: WITHOUT_SPACE }), { done: true, revision: 11 });
  assert.deepEqual(await commit(1), [2]);
  assert.deepEqual(writing, [full]);
  assert.deepEqual(await commit(8, 1), [12, 2]);
  assert.deepEqual(writing, [full, 'goes on']);
});

test('writers whose values have no room together in memory are told so, and those behind them are not kept', async () => {
  const { commits, commit } = open([]);
  const vast = { length: 2 ** 53 } as Uint8Array;
  await assert.rejects(commits.commit({ key: '/a', expect: 6, value: vast }), RangeError);
  assert.deepEqual(await commit(7), [10]);
});
