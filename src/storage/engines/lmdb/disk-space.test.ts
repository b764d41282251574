import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FASTEST_FILLING_BYTES_PER_MS, SPACE_KNOWN_MS } from './limits.ts';
import { DiskSpace } from './disk-space.ts';

const GIB = 1024 ** 3;

/** A disk with so much space, and a clock that stands. */
function disk(freeBytes: number): { freeBytes: number; nowMs: number; looks: number; readonly space: DiskSpace } {
  const seen = { freeBytes, nowMs: 0, looks: 0 };
  const measure = (): number => {
    seen.looks++;
    return seen.freeBytes;
  };
  return Object.assign(seen, { space: new DiskSpace(measure, () => seen.nowMs) });
}

describe('free disk space', () => {
  it('is measured once for many groups', () => {
    const state = disk(100 * GIB);
    for (let group = 0; group < 1_000; group++) {
      state.space.beginGroup();
      for (let i = 0; i < 16; i++) assert.ok(state.space.reserve(20_000, 20_000));
    }
    assert.equal(state.looks, 1);
  });

  it('is measured again after a while, the sooner the less there is', () => {
    for (const [freeBytes, knownMs] of [
      [100 * GIB, SPACE_KNOWN_MS],
      [10 * FASTEST_FILLING_BYTES_PER_MS, 10],
    ] as const) {
      const state = disk(freeBytes);
      const take = (): boolean => {
        state.space.beginGroup();
        return state.space.reserve(1, 1);
      };
      take();
      state.nowMs = knownMs - 1;
      take();
      assert.equal(state.looks, 1);
      state.nowMs = knownMs;
      state.freeBytes = 0;
      assert.equal(take(), false);
      assert.equal(state.looks, 2);
    }
  });

  it('is measured again when a write has failed', () => {
    const state = disk(100 * GIB);
    state.space.beginGroup();
    assert.ok(state.space.reserve(1, 1));
    state.freeBytes = -Infinity;
    assert.ok(state.space.reserve(1, 1));
    state.space.forget();
    assert.equal(state.space.reserve(1, 1), false);
    assert.equal(state.looks, 2);
  });

  it('is measured again when half of it is promised, so that what others took meanwhile counts', () => {
    const state = disk(1_000);
    state.space.beginGroup();
    assert.ok(state.space.reserve(400, 400));
    state.freeBytes = 450;
    state.space.beginGroup();
    state.nowMs = -1;
    assert.ok(state.space.reserve(50, 50));
    assert.equal(state.looks, 1);
    assert.equal(state.space.reserve(500, 500), false);
    assert.equal(state.looks, 2);
  });

  it('is promised once only to the writes of one group, however often it is measured', () => {
    const state = disk(1_000);
    state.space.beginGroup();
    let promised = 0;
    for (let i = 0; i < 100; i++) if (state.space.reserve(30, 30)) promised += 30;
    assert.equal(promised, 990);
    assert.ok(state.looks > 1);
  });

  it('is looked for again by each who comes after one was refused', () => {
    const state = disk(10);
    state.space.beginGroup();
    assert.equal(state.space.reserve(20, 20), false);
    state.freeBytes = 100;
    assert.ok(state.space.reserve(20, 20));
  });

  it('may be less than nothing for who makes some', () => {
    const state = disk(-50);
    state.space.beginGroup();
    assert.equal(state.space.reserve(1, 1), false);
    assert.ok(state.space.reserve(-100, 10));
    state.freeBytes = -150;
    state.space.beginGroup();
    assert.equal(state.space.reserve(-100, 10), false);
  });
});
