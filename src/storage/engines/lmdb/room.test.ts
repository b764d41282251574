import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FASTEST_FILLING_BYTES_PER_MS, ROOM_KNOWN_MS } from './limits.ts';
import { Room } from './room.ts';

const GIB = 1024 ** 3;

/** A disk with so much room, and a clock that stands. */
function disk(freeBytes: number): { freeBytes: number; nowMs: number; looks: number; readonly room: Room } {
  const seen = { freeBytes, nowMs: 0, looks: 0 };
  const measure = (): number => {
    seen.looks++;
    return seen.freeBytes;
  };
  return Object.assign(seen, { room: new Room(measure, () => seen.nowMs) });
}

describe('room on the disk', () => {
  it('is measured once for many groups', () => {
    const state = disk(100 * GIB);
    for (let group = 0; group < 1_000; group++) {
      state.room.begin();
      for (let i = 0; i < 16; i++) assert.ok(state.room.take(20_000, 20_000));
    }
    assert.equal(state.looks, 1);
  });

  it('is measured again after a while, the sooner the less there is', () => {
    for (const [freeBytes, knownMs] of [
      [100 * GIB, ROOM_KNOWN_MS],
      [10 * FASTEST_FILLING_BYTES_PER_MS, 10],
    ] as const) {
      const state = disk(freeBytes);
      const take = (): boolean => {
        state.room.begin();
        return state.room.take(1, 1);
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
    state.room.begin();
    assert.ok(state.room.take(1, 1));
    state.freeBytes = -Infinity;
    assert.ok(state.room.take(1, 1));
    state.room.forget();
    assert.equal(state.room.take(1, 1), false);
    assert.equal(state.looks, 2);
  });

  it('is measured again when half of it is promised, so that what others took meanwhile counts', () => {
    const state = disk(1_000);
    state.room.begin();
    assert.ok(state.room.take(400, 400));
    state.freeBytes = 450;
    state.room.begin();
    state.nowMs = -1;
    assert.ok(state.room.take(50, 50));
    assert.equal(state.looks, 1);
    assert.equal(state.room.take(500, 500), false);
    assert.equal(state.looks, 2);
  });

  it('is promised once only to the writes of one group, however often it is measured', () => {
    const state = disk(1_000);
    state.room.begin();
    let promised = 0;
    for (let i = 0; i < 100; i++) if (state.room.take(30, 30)) promised += 30;
    assert.equal(promised, 990);
    assert.ok(state.looks > 1);
  });

  it('is looked for again by each who comes after one was refused', () => {
    const state = disk(10);
    state.room.begin();
    assert.equal(state.room.take(20, 20), false);
    state.freeBytes = 100;
    assert.ok(state.room.take(20, 20));
  });

  it('may be less than nothing for who makes some', () => {
    const state = disk(-50);
    state.room.begin();
    assert.equal(state.room.take(1, 1), false);
    assert.ok(state.room.take(-100, 10));
    state.freeBytes = -150;
    state.room.begin();
    assert.equal(state.room.take(-100, 10), false);
  });
});
