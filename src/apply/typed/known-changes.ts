import { ownText } from '#base';
import type { PathElement } from '../fieldpath/element.ts';
import type { FieldSet } from '../fieldpath/set.ts';
import { ChangedSets } from './changed-sets.ts';
import type { ChangeSink, Comparison } from './comparison.ts';

/** Comparisons with more events are rare, and looking them up would cost as much as it saves. */
const MAX_STEPS = 200;
/**
 * The limit of the cache, in points and in steps of cached results. When it is reached, the cache is cleared; common comparisons are soon cached
 * again.
 */
const MAX_POINTS = 5_000;
/** In characters. Names and values come from clients and may be huge: comparisons with longer ones are rare, and not cached. */
const MAX_STEP_LENGTH = 256;

const LEAVE = 0;
const FOUND = { added: 1, removed: 2, modified: 3 } as const;
const NAMES = ['added', 'removed', 'modified'] as const;

/** An event of a comparison: the element that is entered, or one of the numbers above. */
type Step = PathElement | number;

/** A node in the trie of comparisons: all comparisons with the same events so far share it. */
interface Point {
  readonly step: Step;
  readonly next: Map<Step, Point>;
  comparison: Comparison | undefined;
}

const point = (step: Step): Point => ({ step, next: new Map(), comparison: undefined });

let start = point(LEAVE);
let points = 1;

/**
 * Caches results of comparisons by their sequence of events, in a trie. Most writes change the same fields as earlier ones: a controller the status,
 * a client the same fields of each new object. They share the sets of paths, and whatever is computed from these.
 */
export class KnownCourse implements ChangeSink {
  #at = start;
  readonly #steps: Step[] = [];
  /** Collects a comparison that is too long to be cached. */
  #sets: ChangedSets | undefined;

  enter(element: PathElement): void {
    this.#step(element);
  }

  leave(): void {
    this.#step(LEAVE);
  }

  found(what: keyof Comparison): void {
    this.#step(FOUND[what]);
  }

  /** The result for the events so far. */
  comparison(): Comparison {
    if (this.#sets !== undefined) return this.#sets.finish();
    const at = this.#at;
    if (at.comparison === undefined) {
      at.comparison = setsOf(this.#steps).finish();
      shared.add(at.comparison);
      points += this.#steps.length;
    }
    return at.comparison;
  }

  #step(step: Step): void {
    if (this.#sets !== undefined) return replay(this.#sets, step);
    if (this.#steps.length === MAX_STEPS || (typeof step === 'string' && step.length > MAX_STEP_LENGTH)) {
      this.#sets = setsOf(this.#steps);
      return replay(this.#sets, step);
    }
    let next = this.#at.next.get(step);
    if (next === undefined) {
      next = newPoint(step);
      this.#at.next.set(next.step, next);
    }
    this.#at = next;
    // The cached text, so that the one of the request can be freed.
    this.#steps.push(next.step);
  }
}

function setsOf(steps: readonly Step[]): ChangedSets {
  const sets = new ChangedSets();
  for (const step of steps) replay(sets, step);
  return sets;
}

function replay(sets: ChangedSets, step: Step): void {
  if (typeof step === 'string') sets.enter(step);
  else if (step === LEAVE) sets.leave();
  else sets.found(NAMES[step - 1]!);
}

function newPoint(step: Step): Point {
  if (points >= MAX_POINTS) {
    start = point(LEAVE);
    points = 0;
  }
  points += 1;
  return point(typeof step === 'string' ? ownText(step) : step);
}

/** Comparisons in the cache, and results computed from them: later writes may use them again. */
const shared = new WeakSet<object>();

/** Wraps a function so that its results for cached comparisons are cached, too. */
export function rememberedFor<T extends object>(make: (comparison: Comparison, fields: FieldSet) => T): (comparison: Comparison, fields: FieldSet) => T {
  const known = new WeakMap<Comparison, WeakMap<FieldSet, T>>();
  return (comparison, fields) => {
    if (!shared.has(comparison)) return make(comparison, fields);
    let made = known.get(comparison);
    if (made === undefined) known.set(comparison, (made = new WeakMap()));
    let result = made.get(fields);
    if (result === undefined) {
      result = make(comparison, fields);
      made.set(fields, result);
      shared.add(result);
    }
    return result;
  };
}
