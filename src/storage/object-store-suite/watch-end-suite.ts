import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { it } from 'node:test';
import { deferred } from '#base';
import { Collector, isFailure, note, PREFIX, type TestedStore } from './test-support.ts';

/** A receiver that has no room for more until it is told to go on. */
class Slow extends Collector {
  readonly #room = deferred<void>();

  drained(): Promise<void> {
    return this.#room.promise;
  }

  goOn(): void {
    this.#room.resolve();
  }
}

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

  for (const since of ['latest', 'any', 1] as const) {
    it(`a watch that is to close tells all that is stored by then, also where its receiver takes it late: from ${since}`, async () => {
      for (const name of ['a', 'b', 'c']) await create(note(name, 'x'.repeat(1024 * 1024)));
      const closing = new AbortController();
      const [fast, slow] = [new Collector(), new Slow()];
      const query = { prefix: PREFIX, since, bookmarks: false, closing: closing.signal };
      const begun = [fast, slow].map((one) => tested.store.watch(query, one, tested.watches.signal));
      await Promise.all([fast.count(3), slow.count(1)]);
      await tested.remove('a');
      await fast.count(4);
      closing.abort();
      await fast.finished();
      assert.deepEqual([slow.events_.length < 4, slow.ends], [true, 0]);
      slow.goOn();
      await slow.finished();
      await Promise.all(begun);
      await create(note('d', '1'));
      for (const { events_, ended, ends } of [fast, slow]) {
        assert.deepEqual(events_.map(({ type, revision }) => `${type} ${revision}`), ['ADDED 2', 'ADDED 3', 'ADDED 4', 'DELETED 5']);
        assert.deepEqual([ended, ends], [{ cause: undefined }, 1]);
      }
    });
  }

  it('a watch that has ended is held no more by what would have closed it, and is told of nothing then', async () => {
    const closing = new AbortController();
    for (const since of ['latest', 1] as const) {
      const abort = new AbortController();
      const { ends } = await watch({ since, closing: closing.signal }, abort.signal);
      assert.deepEqual([ends, getEventListeners(closing.signal, 'abort').length], [0, 1]);
      abort.abort();
      assert.equal(getEventListeners(closing.signal, 'abort').length, 0);
    }
    closing.abort();
    const late = await watch({ since: 'latest', closing: closing.signal });
    await late.finished();
    assert.deepEqual([late.events_, late.ends], [[], 1]);
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
