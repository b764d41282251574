import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Commit } from '../engine.ts';
import type { Revision } from '../entry.ts';
import { keepsPreconditions } from './preconditions-suite.ts';
import { bytes, text, type TestedEngine } from './test-support.ts';

/** Tests of `commit`. */
export function commitSuite(tested: TestedEngine): void {
  const { put, remove, all } = tested;

  it('R2.2-09 counts one revision up for each commit of any key, from 1 on an empty store', async () => {
    assert.equal(await tested.engine.head(), 1);
    assert.equal(await put('/a', 'x'), 2);
    assert.equal(await put('/b', 'y'), 3);
    assert.equal(await remove('/a'), 4);
    assert.equal(await tested.engine.head(), 4);
    assert.equal((await tested.engine.get('/b'))?.revision, 3);
  });

  it('refuses what does not meet the expectation, says what stands there, and uses up no revision', async () => {
    await put('/a', 'x');
    const create = await tested.engine.commit({ key: '/a', expect: 0, value: bytes('z') });
    assert.deepEqual([create.done, !create.done && text(create.found?.value), !create.done && create.found?.revision], [false, 'x', 2]);
    const absent = await tested.engine.commit({ key: '/none', expect: 2, value: bytes('z') });
    assert.deepEqual(absent, { done: false, found: undefined });
    assert.deepEqual(await tested.engine.commit({ key: '/none', expect: 0 }), { done: false, found: undefined });
    assert.equal((await tested.engine.commit({ key: '/a', expect: 1 })).done, false);
    assert.equal(await tested.engine.head(), 2);
    assert.deepEqual(await all(), ['/a=x']);
  });

  it('lets exactly one of 20 racing creates win', async () => {
    const commits = await Promise.all(Array.from({ length: 20 }, (_, i) => tested.engine.commit({ key: '/a', expect: 0, value: bytes(`w${i}`) })));
    const winners = commits.flatMap((commit, i) => (commit.done ? [i] : []));
    assert.equal(winners.length, 1);
    for (const commit of commits) if (!commit.done) assert.equal(text(commit.found?.value), `w${winners[0]}`);
    assert.deepEqual(await all(), [`/a=w${winners[0]}`]);
  });

  it('loses nothing of 50 racing updates', async () => {
    await put('/n', '0');
    const increment = async (): Promise<Revision> => {
      let live = await tested.engine.get('/n');
      for (;;) {
        const next = String(Number(text(live?.value)) + 1);
        const commit: Commit = await tested.engine.commit({ key: '/n', expect: live?.revision ?? 0, value: bytes(next) });
        if (commit.done) return commit.revision;
        live = commit.found;
      }
    };
    const revisions = await Promise.all(Array.from({ length: 50 }, increment));
    assert.equal(text((await tested.engine.get('/n'))?.value), '50');
    assert.equal(new Set(revisions).size, 50);
  });

  it('keeps the order in which commits begin, where it says so', async () => {
    const commits = await Promise.all(Array.from({ length: 60 }, (_, i) => tested.engine.commit({ key: `/k${59 - i}`, expect: 0, value: bytes('x') })));
    const revisions = commits.map((commit) => (commit.done ? commit.revision : 0));
    const inOrder = Array.from({ length: 60 }, (_, i) => i + 2);
    assert.deepEqual(tested.engine.keepsOrder ? revisions : revisions.sort((a, b) => a - b), inOrder);
  });

  it('orders a create, its update and its removal that come in one moment', async () => {
    const [a, b, c, d] = await Promise.all([
      tested.engine.commit({ key: '/a', expect: 0, value: bytes('1') }),
      tested.engine.commit({ key: '/a', expect: 2, value: bytes('2') }),
      tested.engine.commit({ key: '/a', expect: 3 }),
      tested.engine.commit({ key: '/a', expect: 0, value: bytes('3') }),
    ]);
    assert.deepEqual([a.done, b.done, c.done, d.done], [true, true, true, true]);
    assert.deepEqual(await all(), ['/a=3']);
    assert.deepEqual(await all(2), ['/a=1']);
    assert.deepEqual(await all(3), ['/a=2']);
    assert.deepEqual(await all(4), []);
  });

  it('writes only while its preconditions hold, and says when one does not', async () => {
    const preconditions = [{ key: '/given', revision: await put('/given', '1') }];
    assert.deepEqual(await tested.engine.commit({ key: '/a', expect: 0, value: bytes('x'), preconditions }), { done: true, revision: 3 });
    await put('/given', '2');
    const failed = await tested.engine.commit({ key: '/b', expect: 0, value: bytes('x'), preconditions });
    assert.deepEqual(failed, { done: false, found: undefined, preconditionFailed: true });
    const lost = await tested.engine.commit({ key: '/a', expect: 0, value: bytes('x'), preconditions });
    assert.deepEqual([lost.done, !lost.done && lost.found?.revision, !lost.done && lost.preconditionFailed], [false, 3, undefined]);
    await remove('/given');
    assert.deepEqual(await tested.engine.commit({ key: '/b', expect: 0, value: bytes('x'), preconditions }), failed);
    assert.deepEqual(await all(), ['/a=x']);
  });

  it('checks preconditions against the writes of the same moment', async () => {
    const preconditions = [{ key: '/given', revision: await put('/given', '1') }];
    const [removed, late] = await Promise.all([tested.engine.commit({ key: '/given', expect: 2 }), tested.engine.commit({ key: '/a', expect: 0, value: bytes('x'), preconditions })]);
    assert.equal(removed.done, true);
    if (tested.engine.keepsOrder) assert.deepEqual(late, { done: false, found: undefined, preconditionFailed: true });
  });

  it('of many concurrent writes commits those whose preconditions hold', () =>
    keepsPreconditions(tested.engine, tested.hasOwnTime ? undefined : tested.clock));

  it('keeps empty, binary and large values and long keys', async () => {
    const large = new Uint8Array(2_000_000).map((_, i) => i * 7);
    const key = `/long/${'k'.repeat(600)}/é/😀`;
    await tested.engine.commit({ key, expect: 0, value: large });
    await tested.engine.commit({ key: '/empty', expect: 0, value: new Uint8Array() });
    assert.deepEqual(Buffer.from((await tested.engine.get(key))!.value).equals(large), true);
    assert.equal((await tested.engine.get('/empty'))?.value.length, 0);
  });
}
