import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LEAST_RESERVED_BYTES, LEAST_SWEEP_RECORDS, PAGES_PER_TRANSACTION, PAGES_PER_WRITE_BYTES, RESERVED_DISK_BYTES, RESERVED_FREE_PAGES, SWEEP_RECORDS } from './limits.ts';
import { WriteSpace } from './write-space.ts';

const MIB = 1024 * 1024;
const LARGE = 20_000;
const GROWTH = 2 * LARGE + PAGES_PER_WRITE_BYTES;

/** A store whose file can grow by so many bytes, all of the reserve included, and has a run of so many free pages. */
function store(growthBytes: number, freePages = 0): { growthBytes: number; freePages: number; readonly space: WriteSpace } {
  const seen = { growthBytes, freePages };
  const hooks = {
    usableBytes: () => seen.growthBytes - RESERVED_DISK_BYTES,
    oldestRead: () => Infinity,
    freeRuns: () => ({ pageBytes: 4096, runs: seen.freePages === 0 ? [] : [{ first: 9, pages: seen.freePages }] }),
  };
  return Object.assign(seen, { space: new WriteSpace(hooks, () => 0) });
}

describe('the space of writes', () => {
  it('is what the file can grow by without the reserve, half of which is for deletes, and another quarter for forgetting them', () => {
    const { space } = store(RESERVED_DISK_BYTES + 2 * GROWTH);
    space.beginGroup();
    assert.deepEqual([space.take(LARGE), space.take(LARGE), space.take(LARGE), space.take(0)], [true, true, false, false]);
    assert.equal(space.groupBytes, 2 * GROWTH);
    let deletes = 0;
    while (space.take(undefined)) deletes++;
    assert.equal(deletes * PAGES_PER_WRITE_BYTES, RESERVED_DISK_BYTES / 2);
    assert.equal(space.takeToForget(SWEEP_RECORDS) * PAGES_PER_WRITE_BYTES, RESERVED_DISK_BYTES / 4);
    assert.equal(space.takeToForget(SWEEP_RECORDS), 0);
  });

  it('lets as little be forgotten at once as is worth it, where there is room for no more', () => {
    const leastBytes = RESERVED_DISK_BYTES / 4 + LEAST_SWEEP_RECORDS * PAGES_PER_WRITE_BYTES;
    for (const [growthBytes, records] of [
      [leastBytes, LEAST_SWEEP_RECORDS],
      [leastBytes - 1, 0],
    ] as const) {
      const { space } = store(growthBytes);
      space.beginGroup();
      assert.equal(space.takeToForget(SWEEP_RECORDS), records);
    }
  });

  it('is in free pages where the file cannot grow without the reserve, as long as some are left to deletes, and some of these to forgetting', () => {
    const state = store(RESERVED_DISK_BYTES);
    state.space.beginGroup();
    assert.equal(state.space.take(LARGE), false);
    state.freePages = 6 * (PAGES_PER_TRANSACTION + 5) + RESERVED_FREE_PAGES + 5;
    state.space.forget();
    assert.equal(state.space.take(LARGE), true);
    assert.equal(state.space.take(LARGE), false);
    let deletes = 0;
    while (state.space.take(undefined)) deletes++;
    assert.ok(deletes > 0);
    assert.ok(state.space.takeToForget(SWEEP_RECORDS) > 0);
    const left = RESERVED_FREE_PAGES / 2;
    const { space } = store(LEAST_RESERVED_BYTES + 4 * PAGES_PER_WRITE_BYTES, PAGES_PER_TRANSACTION + 5 + left);
    space.beginGroup();
    assert.deepEqual([space.take(0), space.take(undefined)], [false, true]);
  });

  it('is never what could make the file grow beyond the reserve, however many pages are free', () => {
    for (const [growthBytes, valueBytes, isTaken] of [
      [LEAST_RESERVED_BYTES + GROWTH, LARGE, true],
      [LEAST_RESERVED_BYTES + GROWTH - 1, LARGE, false],
      [RESERVED_DISK_BYTES, 1.5 * MIB, false],
      [LEAST_RESERVED_BYTES, undefined, false],
      [-Infinity, undefined, false],
    ] as const) {
      const { space } = store(growthBytes, 1e6);
      space.beginGroup();
      assert.equal(space.take(valueBytes), isTaken, `${growthBytes} ${valueBytes}`);
    }
  });

  it('is measured anew by each group after free pages were used, and taken back from none', () => {
    // Half of what is free at first is enough for fewer groups than these.
    const state = store(RESERVED_DISK_BYTES, 20_000);
    for (let group = 0; group < 500; group++) {
      state.space.beginGroup();
      assert.ok(state.space.take(LARGE), `${group}`);
      assert.ok(state.space.take(undefined));
    }
    state.growthBytes = LEAST_RESERVED_BYTES;
    state.space.beginGroup();
    assert.equal(state.space.take(LARGE), false);
  });

  it('is measured anew when a write has failed', () => {
    const state = store(RESERVED_DISK_BYTES + MIB);
    state.space.beginGroup();
    assert.ok(state.space.take(LARGE));
    state.growthBytes = LEAST_RESERVED_BYTES;
    state.space.forget();
    state.space.beginGroup();
    assert.equal(state.space.take(LARGE), false);
  });

  it('is roomy when more than the next writes fit, in one way or the other', () => {
    const state = store(RESERVED_DISK_BYTES + 64 * 1024);
    state.space.beginGroup();
    assert.ok(state.space.take(100));
    assert.equal(state.space.isRoomy, false);
    state.growthBytes += MIB;
    assert.equal(state.space.isRoomy, true);
    const free = store(RESERVED_DISK_BYTES, 500);
    free.space.beginGroup();
    assert.ok(free.space.take(100));
    assert.equal(free.space.isRoomy, false);
    free.freePages = 5_000;
    free.space.forget();
    assert.equal(free.space.isRoomy, true);
  });

  it('is not called roomy where several writes of some size would fill it', () => {
    const found = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((eighths) => {
      const { space } = store(RESERVED_DISK_BYTES + (eighths * MIB) / 8);
      space.beginGroup();
      const { isRoomy } = space;
      let writes = 0;
      while (writes < 16 && space.take(16 * 1024)) writes++;
      assert.ok(!isRoomy || writes === 16, `${writes} writes fit into ${eighths} eighths`);
      return isRoomy;
    });
    assert.deepEqual([found[0], found[8]], [false, true]);
  });
});
