import type { PathElement } from '../fieldpath/element.ts';
import type { FieldSet } from '../fieldpath/set.ts';
import type { ChangeSink, Comparison } from './comparison.ts';

/** Longer courses are rare, and looking them up costs what it saves. */
const MAX_STEPS = 200;
/** So many points are remembered; then all are forgotten, and what is common is soon known again. */
const MAX_POINTS = 5_000;

const LEAVE = 0;
const FOUND = { added: 1, removed: 2, modified: 3 } as const;

/** A point in the course of a comparison. Whatever led here told the same. */
interface Point {
  /** By what is told next: the element that is entered, or one of the numbers above. */
  readonly next: Map<PathElement | number, Point>;
  comparison: Comparison | undefined;
}

const point = (): Point => ({ next: new Map(), comparison: undefined });

let start = point();
let points = 1;

/**
 * Follows a comparison to the answer it had before. Most writes change what others of their kind did: a controller its status, a client the same
 * members of a new object. They share the sets of paths, and whatever is made of those.
 */
export class KnownCourse implements ChangeSink {
  #at: Point | undefined = start;
  #steps = 0;

  enter(element: PathElement): void {
    this.#step(element);
  }

  leave(): void {
    this.#step(LEAVE);
  }

  found(what: keyof Comparison): void {
    this.#step(FOUND[what]);
  }

  /** The answer for this course; `make` is asked where it is not known. */
  comparison(make: () => Comparison): Comparison {
    const at = this.#at;
    if (at === undefined) return make();
    if (at.comparison === undefined) {
      at.comparison = make();
      shared.add(at.comparison);
    }
    return at.comparison;
  }

  #step(told: PathElement | number): void {
    const at = this.#at;
    if (at === undefined) return;
    let next = at.next.get(told);
    if (next === undefined) at.next.set(told, (next = newPoint()));
    this.#at = ++this.#steps > MAX_STEPS ? undefined : next;
  }
}

function newPoint(): Point {
  if (points >= MAX_POINTS) {
    start = point();
    points = 0;
  }
  points += 1;
  return point();
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
