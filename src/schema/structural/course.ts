/** Checks made for one value. A schema and a value that need more are hostile. */
export const MAX_STEPS = 1_000_000;
/** Steps of matching patterns, which count apart: for one text, and for the whole value. */
export const MAX_STEPS_OF_PATTERN = 20_000_000;
export const MAX_PATTERN_STEPS = 100_000_000;
/** So many comparisons with items of a list cost as much as one check. */
export const COMPARED_AT_ONCE = 8;

/** What is validated. For defaults every declared format counts, known or not, and `x-kubernetes-int-or-string` does not. */
export type Judged = 'object' | 'default';

/** What is carried along while one value is checked. */
export interface Course {
  steps: number;
  /** Instructions of patterns times characters of texts. */
  patternSteps: number;
  readonly judged: Judged;
}
