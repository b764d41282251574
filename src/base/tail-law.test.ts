import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Tail } from './tail.ts';

/** At each position of the log may be several items. */
interface Item {
  readonly position: number;
  readonly id: number;
}

/** What a reader does: it wants each n-th item; in its n-th delivery it leaves, breaks, sends the one that came last away, or makes the log grow. */
interface Habits {
  readonly back: number;
  readonly wantsEach: number;
  readonly inDelivery: number;
  readonly does: 'nothing' | 'leaves' | 'breaks' | 'dismisses' | 'writes';
}

class Reader {
  readonly got: Item[] = [];
  readonly #tail: Tail<Item>;
  readonly #after: number;
  readonly #habits: Habits;
  readonly #leave: () => void;
  #deliveries = 0;
  #position: number;
  #hasBroken = false;
  readonly #faults: string[] = [];
  failures = 0;
  hasLeft = false;

  constructor(world: World, after: number, habits: Habits) {
    this.#tail = world.tail;
    this.#after = this.#position = after;
    this.#habits = habits;
    this.#leave = world.tail.attach(after, {
      wants: (item) => this.wants(item),
      positionOf: ({ position }) => position,
      deliver: (items, position) => {
        // What is thrown here ends the reader.
        if (this.isOver) this.#faults.push('something is delivered to one that has left or was ended');
        if (position <= this.#position) this.#faults.push('positions do not grow');
        this.#position = position;
        this.got.push(...items);
        if (this.#deliveries++ !== habits.inDelivery) return;
        if (habits.does === 'breaks') {
          this.#hasBroken = true;
          throw new Error('it cannot take this');
        }
        if (habits.does === 'leaves') this.leave();
        if (habits.does === 'dismisses') world.readers.at(-1)?.leave();
        if (habits.does === 'writes') world.write(2);
      },
      failed: () => void this.failures++,
    });
  }

  get isOver(): boolean {
    return this.hasLeft || this.failures > 0;
  }

  wants({ id }: Item): boolean {
    return id % this.#habits.wantsEach === 0;
  }

  leave(): void {
    this.hasLeft = true;
    this.#leave();
  }

  /** All that is its own, in order and once; of one that is over, the beginning of it. One is ended for its own failure, or where it needs what is forgotten. */
  check({ log, forgotten }: World): void {
    const own = log.filter((item) => item.position > this.#after && this.wants(item));
    assert.deepEqual(this.got, this.isOver ? own.slice(0, this.got.length) : own);
    if (!this.isOver) assert.equal(this.#position, Math.max(this.#after, this.#tail.position));
    const failures = this.#hasBroken ? [1] : forgotten > this.#after && this.#habits.back > 0 ? [0, 1] : [0];
    assert.ok(failures.includes(this.failures), `${this.failures} failures`);
    assert.deepEqual(this.#faults, []);
  }
}

/** A log that grows, of which what lies before `forgotten` can no longer be read. */
class World {
  readonly log: Item[] = [];
  readonly readers: Reader[] = [];
  forgotten = 0;
  readonly tail = new Tail<Item>(0, {
    read: (after, upTo) => {
      if (after < this.forgotten) throw new Error('it is forgotten');
      const position = Math.min(after + 3, upTo);
      return { items: this.log.filter((item) => item.position > after && item.position <= position), position };
    },
  });
  #position = 0;

  /** Positions without an item are skipped over, as are those whose items nobody keeps. */
  write(count: number): void {
    this.#position += 1 + (count % 2);
    const items = Array.from({ length: count }, (_, at) => ({ position: this.#position, id: this.log.length + at }));
    this.log.push(...items);
    this.tail.publish(items, this.#position);
  }
}

const happening = fc.oneof(
  fc.record({ written: fc.nat(3) }),
  fc.record({
    back: fc.integer({ min: -3, max: 20 }),
    wantsEach: fc.integer({ min: 1, max: 3 }),
    inDelivery: fc.nat(2),
    does: fc.constantFrom('nothing', 'leaves', 'breaks', 'dismisses', 'writes'),
  }),
  fc.record({ leaves: fc.nat(5) }),
  fc.record({ forgets: fc.nat(10) }),
  fc.constant('turn' as const),
);

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('each reader gets what comes after its start, once and in order, whoever else comes, leaves, breaks and writes', () =>
  fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 40, size: 'max' }), async (happenings) => {
      const world = new World();
      const { readers } = world;
      for (let count = 0; count < 10; count++) world.write(count % 4);
      for (const what of happenings) {
        if (what === 'turn') await turn();
        else if ('written' in what) world.write(what.written);
        else if ('leaves' in what) readers[what.leaves]?.leave();
        else if ('forgets' in what) world.forgotten = Math.max(world.forgotten, world.tail.position - what.forgets);
        else readers.push(new Reader(world, Math.max(0, world.tail.position - what.back), what));
      }
      // Each turn brings each that is behind a slice further.
      for (let turns = 0; turns < 60; turns++) await turn();
      for (const reader of readers) reader.check(world);
    }),
    { numRuns: 300 },
  ));
