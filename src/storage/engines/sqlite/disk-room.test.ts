import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DiskRoom, type Room } from './disk-room.ts';
import { PLENTY_BYTES, RESERVED_DISK_BYTES } from './limits.ts';

const KIB = 1024;
const NOTHING: Room = { freeBytes: 0, reusableBytes: 0, logBytes: 0 };

/** A disk with this room; once its log begins anew, with what `restarted` says. */
function disk(room: Partial<Room>, restarted?: Partial<Room>): { readonly room: DiskRoom; readonly asked: string[] } {
  const asked: string[] = [];
  let now = { ...NOTHING, ...room };
  const restartLog = (): boolean => {
    asked.push('restart');
    now = { ...now, ...restarted };
    return restarted !== undefined;
  };
  const measure = (): Room => {
    asked.push('measure');
    return now;
  };
  return { room: new DiskRoom({ freeBytes: () => now.freeBytes, measure, restartLog }), asked };
}

/** How many values of so many bytes find room in one transaction. */
function taken(room: DiskRoom, bytes: number): number {
  room.prepareFor(bytes);
  let count = 0;
  while (count < 1_000 && room.take(bytes)) count++;
  return count;
}

describe('the room on the disk', () => {
  it('is not looked at closely where there is plenty', () => {
    const { room, asked } = disk({ freeBytes: 2 * PLENTY_BYTES });
    assert.equal(taken(room, 20 * KIB), 1_000);
    assert.deepEqual(asked, []);
  });

  it('is the free space beyond the reserve, in which a value stands in the log and in the file', () => {
    const { room } = disk({ freeBytes: RESERVED_DISK_BYTES + 1_024 * KIB });
    assert.equal(taken(room, 64 * KIB), 16);
    assert.equal(taken(disk({ freeBytes: RESERVED_DISK_BYTES + 3_072 * KIB }).room, 64 * KIB), 32);
    assert.equal(taken(disk({ freeBytes: RESERVED_DISK_BYTES - 1 }).room, 1), 0);
  });

  it('is also what the file can use again, for which the log may take half of the reserve, and what it has', () => {
    const reusableBytes = 100 * RESERVED_DISK_BYTES;
    assert.equal(taken(disk({ freeBytes: RESERVED_DISK_BYTES, reusableBytes }).room, 64 * KIB), 16);
    assert.equal(taken(disk({ freeBytes: RESERVED_DISK_BYTES, reusableBytes }, { logBytes: 4_096 * KIB }).room, 2_048 * KIB), 2);
  });

  it('has the log begin anew only where there is too little without it', () => {
    const enough = disk({ freeBytes: RESERVED_DISK_BYTES + 1_024 * KIB }, { logBytes: 1 });
    taken(enough.room, 64 * KIB);
    assert.deepEqual(enough.asked, ['measure']);
    const little = disk({ freeBytes: RESERVED_DISK_BYTES }, { freeBytes: RESERVED_DISK_BYTES + 1_024 * KIB });
    assert.equal(taken(little.room, 64 * KIB), 16);
    assert.deepEqual(little.asked, ['measure', 'restart', 'measure']);
  });

  it('does not count on a log that somebody reads', () => {
    assert.equal(taken(disk({ freeBytes: RESERVED_DISK_BYTES, reusableBytes: 100 * RESERVED_DISK_BYTES, logBytes: 4_096 * KIB }).room, 2_048 * KIB), 0);
  });

  it('is taken by deletes from the values of their transaction', () => {
    const { room } = disk({ freeBytes: RESERVED_DISK_BYTES + 64 * KIB });
    room.prepareFor(96 * KIB);
    room.takeAnyway(32 * KIB);
    assert.equal(room.take(64 * KIB), false);
    assert.ok(room.take(32 * KIB));
  });

  it('lets the file be made shorter a little at a time', () => {
    const { room } = disk({ freeBytes: 1_024 * KIB }, { logBytes: 3_072 * KIB });
    room.prepareFor(1);
    assert.equal(room.movableBytes, 1_024 * KIB);
  });
});
