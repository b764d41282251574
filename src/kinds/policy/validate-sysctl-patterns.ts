import { addToList } from '#base';
import type { FieldErrors } from '#errors';

const FORM = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?\\.)*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]';
const PATTERN = new RegExp(`^${FORM}$`);
const MAX_LENGTH = 253;

/** Validates patterns: names of kernel settings, or prefixes of names followed by `*`. */
export function validateSysctlPatterns(patterns: readonly string[], at: FieldErrors): void {
  for (const [position, pattern] of patterns.entries()) {
    const here = at.index(position);
    if (pattern === '') here.invalid(pattern, 'empty sysctl not allowed');
    else if (pattern.length > MAX_LENGTH || !PATTERN.test(pattern)) {
      here.invalid(pattern, `must have at most ${MAX_LENGTH} characters and match regex ${FORM}`);
    }
  }
  if (patterns.includes('*') && patterns.length > 1) at.child('items').forbidden(`if '*' is present, must not specify other sysctls`);
}

/** Reports settings that are both allowed and forbidden, at the narrower pattern. */
export function validateDistinctPatterns(allowed: readonly string[], forbidden: readonly string[], at: FieldErrors): void {
  const index = new PatternIndex(forbidden);
  for (const [i, one] of allowed.entries()) {
    if (at.isFull) return;
    for (const j of index.overlapping(one)) {
      const other = forbidden[j]!;
      if (covers(other, one)) at.child('allowedUnsafeSysctls').index(i).invalid(one, `sysctl overlaps with ${other}`);
      else if (covers(one, other)) at.child('forbiddenSysctls').index(j).invalid(other, `sysctl overlaps with ${one}`);
    }
  }
}

/** Finds the patterns of a list that cover another one or are covered by it, without looking at each. */
class PatternIndex {
  /** Positions of equal patterns. */
  readonly #equal = new Map<string, number[]>();
  /** Positions of patterns that end with `*`, by what stands before it, and how long that is. */
  readonly #wide = new Map<string, number[]>();
  readonly #lengths: readonly number[];
  /** What all of them begin with, sorted. */
  readonly #sorted: readonly { readonly stem: string; readonly position: number }[];

  constructor(patterns: readonly string[]) {
    for (const [position, pattern] of patterns.entries()) {
      addToList(this.#equal, pattern, position);
      if (isWide(pattern)) addToList(this.#wide, stemOf(pattern), position);
    }
    this.#lengths = [...new Set([...this.#wide.keys()].map((stem) => stem.length))];
    this.#sorted = patterns.map((pattern, position) => ({ stem: stemOf(pattern), position })).sort((a, b) => (a.stem < b.stem ? -1 : 1));
  }

  /** Positions, in order. */
  overlapping(pattern: string): readonly number[] {
    const stem = stemOf(pattern);
    const found = new Set(this.#equal.get(pattern));
    for (const length of this.#lengths) {
      if (length <= stem.length) for (const position of this.#wide.get(stem.slice(0, length)) ?? []) found.add(position);
    }
    if (isWide(pattern)) for (const position of this.#beginningWith(stem)) found.add(position);
    return [...found].sort((a, b) => a - b);
  }

  *#beginningWith(stem: string): Generator<number> {
    let [from, to] = [0, this.#sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#sorted[middle]!.stem < stem) from = middle + 1;
      else to = middle;
    }
    for (let at = from; this.#sorted[at]?.stem.startsWith(stem) === true; at++) yield this.#sorted[at]!.position;
  }
}

const isWide = (pattern: string): boolean => pattern.endsWith('*');
const stemOf = (pattern: string): string => (isWide(pattern) ? pattern.slice(0, -1) : pattern);

/** Whether every name that matches `narrow` matches `wide`. */
const covers = (wide: string, narrow: string): boolean => (isWide(wide) ? stemOf(narrow).startsWith(stemOf(wide)) : wide === narrow);
