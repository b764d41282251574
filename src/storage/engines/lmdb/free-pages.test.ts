import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FreePages } from './free-pages.ts';
import { PAGES_PER_TRANSACTION } from './limits.ts';

const PAGE = 4096;

/** A store with runs of so many free pages. */
function store(...lengths: number[]): { lengths: number[]; oldestRead: number; looks: number; readonly pages: FreePages } {
  const seen = { lengths, oldestRead: Infinity, looks: 0 };
  const freeRuns = (): { pageBytes: number; runs: { first: number; pages: number }[] } => {
    seen.looks++;
    return { pageBytes: PAGE, runs: seen.lengths.map((pages, i) => ({ first: 1_000 * (i + 1), pages })) };
  };
  return Object.assign(seen, { pages: new FreePages({ freeRuns, oldestRead: () => seen.oldestRead }) });
}

const some = (count: number, valueBytes = 0): { count: number; valueBytes: number } => ({ count, valueBytes });

describe('free pages', () => {
  it('have room for as many allocations as there are pieces of that length, less what a transaction takes beside them', () => {
    const { pages } = store(3, 7, PAGES_PER_TRANSACTION * 3 + 1);
    const pieces = 1 + 2 + PAGES_PER_TRANSACTION;
    assert.equal(pages.hasRoom(some(pieces - PAGES_PER_TRANSACTION, 2 * PAGE), 0), true);
    assert.equal(pages.hasRoom(some(pieces - PAGES_PER_TRANSACTION + 1, 2 * PAGE), 0), false);
    assert.equal(pages.hasRoom(some(pieces - PAGES_PER_TRANSACTION, 2 * PAGE), 1), false);
    assert.equal(pages.hasRoom(some(1, 100 * PAGE), 0), false);
  });

  it('are used up by a group, and what it takes beside its writes counts once', () => {
    const { pages } = store(PAGES_PER_TRANSACTION + 10);
    pages.beginGroup();
    let taken = 0;
    for (; pages.hasRoom(some(2), 0); taken += 2) pages.spend(some(2));
    assert.equal(taken, 10);
  });

  it('are counted in pieces of the longest value, whatever is written first', () => {
    const { pages } = store(...new Array<number>(20).fill(3));
    pages.beginGroup();
    pages.spend(some(1, 2 * PAGE));
    assert.equal(pages.hasRoom(some(20 - PAGES_PER_TRANSACTION - 1), 0), true);
    assert.equal(pages.hasRoom(some(20 - PAGES_PER_TRANSACTION), 0), false);
  });

  it('are counted in short pieces again when the long value is in the file and they are read anew', () => {
    const state = store(...new Array<number>(PAGES_PER_TRANSACTION + 10).fill(1));
    state.pages.beginGroup();
    state.pages.spend(some(1, 2 * PAGE));
    assert.equal(state.pages.hasRoom(some(1), 0), false);
    state.pages.beginGroup();
    assert.equal(state.pages.hasRoom(some(10), 0), true);
  });

  it('are left to others as they are, in pieces of whatever length', () => {
    const { pages } = store(...new Array<number>(PAGES_PER_TRANSACTION + 1 + 4).fill(3));
    assert.equal(pages.hasRoom(some(1, 2 * PAGE), 12), true);
    assert.equal(pages.hasRoom(some(1, 2 * PAGE), 13), false);
  });

  it('are read anew when half of them may be used up, and others found then', () => {
    const state = store(1_000);
    for (let group = 0; group < 30; group++) {
      state.pages.beginGroup();
      assert.ok(state.pages.hasRoom(some(1), 0));
      state.pages.spend(some(1));
    }
    assert.equal(state.looks, 1);
    for (let group = 0; group < 30; group++) {
      state.pages.beginGroup();
      assert.ok(state.pages.hasRoom(some(1), 0));
      state.pages.spend(some(1));
    }
    assert.equal(state.looks, 2);
  });

  it('are not read again for each who is refused, but when something was written, failed, or a reader has gone', () => {
    const state = store(1);
    const isRefused = (looks: number): void => {
      state.pages.beginGroup();
      for (let i = 0; i < 10; i++) assert.equal(state.pages.hasRoom(some(1), 0), false);
      assert.equal(state.looks, looks);
    };
    isRefused(1);
    isRefused(1);
    state.pages.spend(some(1));
    isRefused(2);
    state.pages.forget();
    isRefused(3);
    state.oldestRead = 7;
    state.lengths = [100];
    assert.equal(state.pages.hasRoom(some(1), 0), true);
    assert.equal(state.looks, 4);
  });
});
