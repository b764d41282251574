import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SetClock } from '#base';
import type { Change, Commit, Engine, Precondition, Write } from '../engine.ts';
import type { Key, Revision } from '../entry.ts';

const KEYS = 5;

/** A revision of a key that a writer may expect: the current one when a batch of concurrent writes begins, or the one before it. */
type Known = 'now' | 'before';

interface WriteStep {
  readonly key: number;
  readonly expect: Known | 'nothing';
  readonly removes: boolean;
  readonly ttlSeconds?: number;
  readonly preconditions: readonly { readonly key: number; readonly known: Known }[];
  /** Time that passes before this write, so that entries expire between the writes of one batch. */
  readonly passMs: number;
}

const key = fc.nat(KEYS - 1);
const mostly = <T>(common: T, ...rare: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(common) }, ...rare.map((one) => ({ weight: 1, arbitrary: fc.constant(one) })));

function writeStep(withTime: boolean): fc.Arbitrary<WriteStep> {
  return fc
    .record({
      key,
      expect: mostly<WriteStep['expect']>('now', 'before', 'nothing'),
      removes: mostly(false, true, true),
      ttlSeconds: mostly(undefined, ...(withTime ? [1, 2] : [])),
      preconditions: fc.array(fc.record({ key, known: mostly<Known>('now', 'before') }), { maxLength: 2 * KEYS, size: 'medium' }),
      passMs: mostly(0, ...(withTime ? [1_000] : [])),
    })
    .map(({ ttlSeconds, ...rest }) => ({ ...rest, ...(ttlSeconds === undefined || rest.removes ? {} : { ttlSeconds }) }));
}

/** The revision of every key as of every revision of the store, from the engine's feed. */
class FollowedStates {
  readonly states = new Map<Revision, ReadonlyMap<Key, Revision>>();
  readonly #follow = new AbortController();
  #newest: Revision;
  #reached: () => void = () => {};

  /** At revision `after` none of the keys may exist. */
  constructor(engine: Engine, after: Revision) {
    this.#newest = after;
    this.states.set(after, new Map());
    engine.follow('/', after, { changes: (batch) => this.#take(batch), lost: () => {} }, this.#follow.signal);
  }

  async reached(head: Revision): Promise<void> {
    while (this.#newest < head) await new Promise<void>((resolve) => (this.#reached = resolve));
  }

  /** The current revision of a key, and the one before it; 0: it does or did not exist. */
  known(at: Key): Readonly<Record<Known, Revision>> {
    const now = this.#at(this.#newest, at);
    for (let revision = this.#newest - 1; this.states.has(revision); revision--) {
      const before = this.#at(revision, at);
      if (before !== now && before !== 0) return { now, before };
    }
    return { now, before: 0 };
  }

  stop(): void {
    this.#follow.abort();
  }

  #take(batch: readonly Change[]): void {
    for (const { revision, key: changed, value } of batch) {
      const stands = new Map(this.states.get(this.#newest));
      if (value === undefined) stands.delete(changed);
      else stands.set(changed, revision);
      this.states.set(revision, stands);
      this.#newest = revision;
    }
    this.#reached();
  }

  #at(revision: Revision, at: Key): Revision {
    return this.states.get(revision)?.get(at) ?? 0;
  }
}

/** The expected outcome of a write in that state, in the form of `outcomeOf`. */
function outcomeIn(stands: ReadonlyMap<Key, Revision>, { key: at, expect, value, preconditions = [] }: Write): string {
  const found = stands.get(at) ?? 0;
  if (found !== expect || (found === 0 && value === undefined)) return `found ${found}`;
  return preconditions.every((one) => stands.get(one.key) === one.revision) ? 'done' : `precondition failed over ${found}`;
}

function outcomeOf(commit: Commit): string {
  if (commit.done) return 'done';
  return `${commit.preconditionFailed === true ? 'precondition failed over' : 'found'} ${commit.found?.revision ?? 0}`;
}

/**
 * Random batches of concurrent writes with preconditions, some of which other writes of the batch break: each write must be done or refused
 * according to the state at its place in the order of revisions. `clock` makes time pass; absent: the store has a clock of its own.
 */
export async function keepsPreconditions(engine: Engine, clock: SetClock | undefined): Promise<void> {
  let runs = 0;
  // A run that is interrupted by the time limit goes on writing until all its batches are done.
  let last: Promise<void> = Promise.resolve();
  const moments = fc.array(fc.array(writeStep(clock !== undefined), { minLength: 1, maxLength: 8, size: 'max' }), { minLength: 1, maxLength: 8, size: 'max' });
  await fc.assert(
    fc.asyncProperty(moments, async (all) => {
      last = oneRun(engine, clock, `/${++runs}`, all);
      await last;
    }),
    { numRuns: 30, interruptAfterTimeLimit: 3_000 },
  );
  await last;
}

async function oneRun(engine: Engine, clock: SetClock | undefined, folder: Key, moments: readonly (readonly WriteStep[])[]): Promise<void> {
  const followed = new FollowedStates(engine, await engine.head());
  for (const steps of moments) await oneMoment({ engine, clock, folder, followed }, steps);
  followed.stop();
}

interface Course {
  readonly engine: Engine;
  readonly clock: SetClock | undefined;
  readonly folder: Key;
  readonly followed: FollowedStates;
}

async function oneMoment({ engine, clock, folder, followed }: Course, steps: readonly WriteStep[]): Promise<void> {
  const start = await engine.head();
  await followed.reached(start);
  const writes = steps.map((step) => toWrite(step, folder, followed));
  const commits = await Promise.all(
    writes.map((write, i) => {
      const { passMs } = steps[i]!;
      if (passMs > 0) clock?.turn(passMs);
      return engine.commit(write);
    }),
  );
  const end = await engine.head();
  await followed.reached(end);
  for (const [i, write] of writes.entries()) {
    const commit = commits[i]!;
    const [from, to] = engine.keepsOrder || commit.done ? placeOf(commits, i, start, end) : [start, end];
    const possible = [];
    for (let revision = from; revision <= to; revision++) possible.push(outcomeIn(followed.states.get(revision)!, write));
    assert.ok(possible.includes(outcomeOf(commit)), `${JSON.stringify(write)}: ${outcomeOf(commit)}, and not ${[...new Set(possible)].join(' or ')}`);
  }
}

function toWrite({ key: at, expect, removes, ttlSeconds, preconditions }: WriteStep, folder: Key, followed: FollowedStates): Write {
  const name = (number: number): Key => `${folder}/${number}`;
  const existing = preconditions.map((one): Precondition => ({ key: name(one.key), revision: followed.known(name(one.key))[one.known] })).filter(({ revision }) => revision !== 0);
  return {
    key: name(at),
    expect: expect === 'nothing' ? 0 : followed.known(name(at))[expect],
    ...(removes ? {} : { value: Buffer.from('x') }),
    ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
    ...(existing.length === 0 ? {} : { preconditions: existing }),
  };
}

/**
 * The range of revisions whose state a write may have met: if it was done, the one before its own; else those between the nearest writes before and
 * after it that were done.
 */
function placeOf(commits: readonly Commit[], i: number, start: Revision, end: Revision): readonly [Revision, Revision] {
  const own = commits[i];
  if (own?.done === true) return [own.revision - 1, own.revision - 1];
  const revisions = commits.map((commit) => (commit.done ? commit.revision : undefined));
  const before = revisions.slice(0, i).findLast((revision) => revision !== undefined) ?? start;
  const behind = revisions.slice(i + 1).find((revision) => revision !== undefined);
  return [before, behind === undefined ? end : behind - 1];
}
