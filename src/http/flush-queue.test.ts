import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StillClock } from '#base';
import { FlushQueue, type Flushable } from './flush-queue.ts';

const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('flush queue', () => {
  const time = new StillClock(1_000);
  const queue = new FlushQueue(time);
  const written: string[] = [];
  const watchers = (name: string, count: number, writeMs: number): Flushable[] =>
    Array.from({ length: count }, () => ({
      largeBatch: 0,
      flush() {
        time.pass(writeMs);
        written.push(name);
      },
    }));
  const add = (targets: readonly Flushable[]): void => {
    for (const target of targets) queue.add(target);
  };
  const takeWritten = (): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const name of written.splice(0)) counts[name] = (counts[name] ?? 0) + 1;
    return counts;
  };
  const many = watchers('many', 20, 0.1);
  const few = watchers('few', 3, 0.1);
  const late = watchers('late', 16, 0.1);

  it('flushes all of a turn at its end', async () => {
    add([...many, ...few]);
    assert.deepEqual(takeWritten(), {});
    await endOfTurn();
    assert.deepEqual(takeWritten(), { many: 20, few: 3 });
  });

  it('leaves a large batch alone for three times as long as it took to write to it', async () => {
    time.pass(7);
    add(many);
    await endOfTurn();
    await endOfTurn();
    assert.deepEqual(takeWritten(), { many: 20 }, 'the pause of 6.9 ms was over');
    add(many);
    time.turn(5.9);
    await endOfTurn();
    assert.deepEqual(takeWritten(), {});
    time.turn(0.2);
    assert.deepEqual(takeWritten(), { many: 20 });
  });

  it('flushes others at the end of the turn meanwhile', async () => {
    add(many);
    add(few);
    await endOfTurn();
    assert.deepEqual(takeWritten(), { few: 3 });
    time.turn(7);
    assert.deepEqual(takeWritten(), { many: 20 });
  });

  it('ends the pause when there is enough to write', async () => {
    add(many);
    await endOfTurn();
    assert.deepEqual(takeWritten(), {});
    queue.endPause();
    queue.endPause();
    assert.deepEqual(takeWritten(), {});
    await endOfTurn();
    assert.deepEqual(takeWritten(), { many: 20 });
    time.turn(7);
    await endOfTurn();
    assert.deepEqual(takeWritten(), {}, 'nobody is flushed for nothing');
  });

  it('makes one large batch of two, and pauses no longer than 10 ms', async () => {
    add(many);
    await endOfTurn();
    assert.deepEqual(takeWritten(), { many: 20 });
    add([...many, ...late]);
    await endOfTurn();
    assert.deepEqual(takeWritten(), { many: 20, late: 16 });
    add([...many, ...late]);
    await endOfTurn();
    assert.deepEqual(takeWritten(), {});
    time.turn(9.9);
    assert.deepEqual(takeWritten(), {});
    time.turn(0.2);
    assert.deepEqual(takeWritten(), { many: 20, late: 16 });
  });

  it('knows no pause where few are written to, however long that takes', async () => {
    const slow = watchers('slow', 15, 100);
    for (let turn = 0; turn < 2; turn++) {
      add(slow);
      await endOfTurn();
      assert.deepEqual(takeWritten(), { slow: 15 });
    }
  });
});
