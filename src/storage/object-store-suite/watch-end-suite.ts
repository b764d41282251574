import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isFailure, note, type TestedStore } from './test-support.ts';

/** Tests of when and why watches end. */
export function watchEndSuite(tested: TestedStore): void {
  const { create, watch } = tested;

  it('ends with the reason when its start is forgotten', { skip: tested.remembersLonger && 'this store remembers it' }, async () => {
    for (const name of ['a', 'b', 'c']) await create(note(name, '1'));
    await watch();
    await tested.engine.compact(3);
    const collector = await watch({ since: 2 });
    await collector.finished();
    assert.ok(isFailure('compacted')(collector.ended?.cause));
    assert.deepEqual(collector.events_, []);
  });

  it('ends the watch of a receiver that is full, and only that', async () => {
    const full = await watch({ since: 1 });
    full.room = 1;
    const other = await watch({ since: 1 });
    for (const name of ['a', 'b', 'c']) await create(note(name, '1'));
    await other.count(3);
    await full.finished();
    assert.equal(full.events_.length, 2);
    assert.equal(full.ended?.cause, undefined);
    assert.equal(full.ends, 1);
  });

  it('a watch that begins in the moment in which the last other one ends is told what comes', async () => {
    const abort = new AbortController();
    await watch({ since: 1 }, abort.signal);
    const next = watch({ since: 1 });
    abort.abort();
    const collector = await next;
    await create(note('a', '1'));
    await collector.count(1);
    assert.deepEqual(collector.summary(), ['ADDED a=1 2']);
  });

  it('does not begin any more once it has ended', async () => {
    await create(note('a', '1'));
    const abort = new AbortController();
    const begun = watch({}, abort.signal);
    abort.abort();
    const { hasBegun, events_, ends } = await begun;
    assert.deepEqual([hasBegun, events_, ends], [false, [], 1]);
  });

  it('ends once when told to, and is quiet then', async () => {
    const abort = new AbortController();
    const collector = await watch({ since: 1 }, abort.signal);
    const other = await watch({ since: 1 });
    abort.abort();
    await create(note('a', '1'));
    await other.count(1);
    assert.deepEqual([collector.events_.length, collector.ends], [0, 1]);
    const early = await watch({}, abort.signal);
    assert.deepEqual([early.events_.length, early.ends], [0, 1]);
  });
}
