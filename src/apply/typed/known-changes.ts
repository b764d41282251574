import { ownText } from '#base';
import type { PathElement } from '../fieldpath/element.ts';
import type { FieldSet } from '../fieldpath/set.ts';
import { ChangedSets } from './changed-sets.ts';
import type { ChangeSink, Comparison } from './comparison.ts';

/** Longer courses are rare, and looking them up costs what it saves. */
const MAX_STEPS = 200;
/** So many points are remembered, and steps that answers were made of; then all are forgotten, and what is common is soon known again. */
const MAX_POINTS = 5_000;
/** Names and values come from clients, a body full of a single one too: longer ones are rare, and not remembered. */
const MAX_STEP_LENGTH = 256;

const LEAVE = 0;
const FOUND = { added: 1, removed: 2, modified: 3 } as const;
const NAMES = ['added', 'removed', 'modified'] as const;

/** What a comparison tells: the element that is entered, or one of the numbers above. */
type Step = PathElement | number;

/** A point in the course of a comparison. Whatever led here told the same. */
interface Point {
  readonly step: Step;
  readonly next: Map<Step, Point>;
  comparison: Comparison | undefined;
}

const point = (step: Step): Point => ({ step, next: new Map(), comparison: undefined });

let start = point(LEAVE);
let points = 1;

/**
 * Follows a comparison to the answer it had before. Most writes change what others of their kind did: a controller its status, a client the same
 * members of a new object. They share the sets of paths, and whatever is made of those.
 */
export class KnownCourse implements ChangeSink {
  #at = start;
  readonly #told: Step[] = [];
  /** Of a course that is too long to be remembered. */
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

  /** The answer for what was told. */
  comparison(): Comparison {
    if (this.#sets !== undefined) return this.#sets.finish();
    const at = this.#at;
    if (at.comparison === undefined) {
      at.comparison = setsOf(this.#told).finish();
      shared.add(at.comparison);
      points += this.#told.length;
    }
    return at.comparison;
  }

  #step(step: Step): void {
    if (this.#sets !== undefined) return tell(this.#sets, step);
    if (this.#told.length === MAX_STEPS || (typeof step === 'string' && step.length > MAX_STEP_LENGTH)) {
      this.#sets = setsOf(this.#told);
      return tell(this.#sets, step);
    }
    let next = this.#at.next.get(step);
    if (next === undefined) {
      next = newPoint(step);
      this.#at.next.set(next.step, next);
    }
    this.#at = next;
    // The text that is remembered, not the one that was sent.
    this.#told.push(next.step);
  }
}

function setsOf(told: readonly Step[]): ChangedSets {
  const sets = new ChangedSets();
  for (const step of told) tell(sets, step);
  return sets;
}

function tell(sets: ChangedSets, step: Step): void {
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

/** What others will meet again: comparisons, and what was made of them. */
const shared = new WeakSet<object>();

/** The same function, which remembers what it made of a comparison that is shared. */
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
