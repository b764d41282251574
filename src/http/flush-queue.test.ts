import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { StillClock } from '#base';
import { FlushQueue, type Flushable } from './flush-queue.ts';

/** Exact in binary: 8 writes fill the millisecond that a turn has for them. */
const WRITE_MS = 0.125;

/** A queue on a clock that stands still but for the time that writing takes. */
class World {
  readonly time = new StillClock(1_000);
  readonly queue = new FlushQueue(this.time);
  #written: string[] = [];

  outlets(name: string, count: number, writeMs = WRITE_MS): readonly Flushable[] {
    const flush = (): void => {
      this.time.pass(writeMs);
      this.#written.push(name);
    };
    return Array.from({ length: count }, () => ({ largeBatch: 0, flush }));
  }

  add(...targets: readonly Flushable[]): void {
    for (const target of targets) this.queue.add(target);
  }

  /** How often outlets of each name were written to since the last look, after so many turns of the event loop. */
  async written(turns: number): Promise<Readonly<Record<string, number>>> {
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    const counts: Record<string, number> = {};
    for (const name of this.#written) counts[name] = (counts[name] ?? 0) + 1;
    this.#written = [];
    return counts;
  }

  /** Adds a batch and has it written; a pause follows. */
  async write(batch: readonly Flushable[]): Promise<void> {
    this.add(...batch);
    await this.written(10);
  }
}

/** What the outlets ask for, and what happens between that. */
const happening = fc.oneof(
  fc.record({ from: fc.nat(20), count: fc.constantFrom(1, 2, 20) }),
  fc.record({ turns: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ passes: fc.constantFrom(0.2, 1, 12) }),
  fc.constant('endPause' as const),
);

describe('flush queue', () => {
  it('flushes all of a turn at its end', async () => {
    const world = new World();
    world.add(...world.outlets('few', 3));
    assert.deepEqual(await world.written(0), {});
    assert.deepEqual(await world.written(1), { few: 3 });
  });

  it('spreads writing to a large batch over turns, and flushes others between them', async () => {
    const world = new World();
    world.add(...world.outlets('many', 20));
    assert.deepEqual(await world.written(1), { many: 8 });
    world.add(...world.outlets('few', 3));
    assert.deepEqual(await world.written(1), { many: 8, few: 3 });
    assert.deepEqual(await world.written(1), { many: 4 });
  });

  it('leaves a large batch alone for three times as long as it took to write to it', async () => {
    const world = new World();
    const many = world.outlets('many', 20);
    await world.write(many);
    world.add(...many);
    world.time.turn(7.4);
    assert.deepEqual(await world.written(5), {});
    world.time.turn(0.2);
    assert.deepEqual(await world.written(5), { many: 20 });
    world.time.pass(8);
    world.add(...many);
    assert.deepEqual(await world.written(5), { many: 20 }, 'the pause was over');
  });

  it('has what comes while it writes wait for the pause, and writes it once', async () => {
    const world = new World();
    const many = world.outlets('many', 20);
    world.add(...many);
    assert.deepEqual(await world.written(1), { many: 8 });
    world.add(...many.slice(0, 8));
    world.queue.endPause();
    assert.deepEqual(await world.written(5), { many: 12 }, 'there is no pause yet that could be ended');
    world.time.turn(7.4);
    assert.deepEqual(await world.written(5), {});
    world.time.turn(0.2);
    assert.deepEqual(await world.written(5), { many: 8 });
  });

  it('flushes others at the end of the turn during the pause', async () => {
    const world = new World();
    const many = world.outlets('many', 20);
    await world.write(many);
    world.add(...many, ...world.outlets('few', 3));
    assert.deepEqual(await world.written(1), { few: 3 });
    world.time.turn(8);
    assert.deepEqual(await world.written(5), { many: 20 });
  });

  it('ends the pause when there is enough to write', async () => {
    const world = new World();
    const many = world.outlets('many', 20);
    await world.write(many);
    world.add(...many);
    assert.deepEqual(await world.written(5), {});
    world.queue.endPause();
    world.queue.endPause();
    assert.deepEqual(await world.written(0), {});
    assert.deepEqual(await world.written(5), { many: 20 });
    world.time.turn(8);
    assert.deepEqual(await world.written(5), {}, 'nobody is flushed for nothing');
  });

  it('makes one large batch of two, and pauses no longer than 10 ms', async () => {
    const world = new World();
    const [many, late] = [world.outlets('many', 20), world.outlets('late', 16)];
    await world.write(many);
    world.add(...many, ...late);
    assert.deepEqual(await world.written(10), { many: 20, late: 16 });
    world.add(...many, ...late);
    world.time.turn(9.9);
    assert.deepEqual(await world.written(10), {});
    world.time.turn(0.2);
    assert.deepEqual(await world.written(10), { many: 20, late: 16 });
  });

  it('takes others into a large batch that is being written to', async () => {
    const world = new World();
    const [many, late] = [world.outlets('many', 20), world.outlets('late', 16)];
    world.add(...many);
    assert.deepEqual(await world.written(1), { many: 8 });
    world.add(...late);
    assert.deepEqual(await world.written(10), { many: 12, late: 16 });
    world.add(...many, ...late);
    assert.deepEqual(await world.written(5), {}, 'one pause for all');
    world.time.turn(10.1);
    assert.deepEqual(await world.written(10), { many: 20, late: 16 });
  });

  it('knows no pause where few are written to, however long that takes', async () => {
    const world = new World();
    const slow = world.outlets('slow', 15, 100);
    for (let time = 0; time < 2; time++) {
      world.add(...slow);
      assert.deepEqual(await world.written(1), { slow: 15 });
    }
  });

  it('flushes each outlet once for each time that it was added, soon, whatever happens between', () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(happening, { maxLength: 30, size: 'max' }), async (turns, happenings) => {
        const world = new World();
        const waiting = new Set<Flushable>();
        let needless = 0;
        const all = world.outlets('all', 40).map(({ flush }) => {
          const outlet: Flushable = {
            largeBatch: 0,
            flush() {
              if (!waiting.delete(outlet)) needless++;
              flush();
            },
          };
          return outlet;
        });
        const add = (outlet: Flushable): void => {
          if (waiting.has(outlet)) return;
          waiting.add(outlet);
          world.add(outlet);
        };
        // A large batch to begin with, which is being written to, or was and pauses.
        for (const outlet of all.slice(0, 20)) add(outlet);
        await world.written(turns);
        for (const what of happenings) {
          if (what === 'endPause') world.queue.endPause();
          else if ('turns' in what) await world.written(what.turns);
          else if ('passes' in what) world.time.turn(what.passes);
          else for (const outlet of all.slice(what.from, what.from + what.count)) add(outlet);
        }
        // All that is being written to, then all that waits for a pause.
        await world.written(12);
        world.time.turn(10);
        await world.written(12);
        assert.deepEqual({ waiting: waiting.size, needless, timers: world.time.pending }, { waiting: 0, needless: 0, timers: 0 });
      }),
      { numRuns: 300 },
    ));
});
