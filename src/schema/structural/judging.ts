import { isGood, TOO_LONG, type Verdict } from './verdict.ts';

/** Checks made for one value. A schema and a value that need more are hostile. */
const MAX_STEPS = 1_000_000;
/** Steps of matching patterns, which count apart: for one text, and for the whole value. */
export const MAX_STEPS_OF_PATTERN = 20_000_000;
export const MAX_PATTERN_STEPS = 100_000_000;
/** So many comparisons with items of a list cost as much as one check. */
export const COMPARED_AT_ONCE = 8;
/** So many members that are looked for among those of a schema cost as much as one check. */
export const SOUGHT_AT_ONCE = 4;
/** So many characters that are counted or held against a format cost as much as one check: many alternatives may ask this of one long text. */
const READ_AT_ONCE = 32;

/** What is validated. For defaults every declared format counts, known or not, and `x-kubernetes-int-or-string` does not. */
export type Judged = 'object' | 'default';

/** What is carried along while one value is checked, or several that share the bounds. */
export interface Judging {
  steps: number;
  /** Instructions of patterns times characters of texts. */
  patternSteps: number;
  /** How many checks were given up. */
  givenUp: number;
  readonly judged: Judged;
}

/** To begin with: nothing was checked yet. */
export const newJudging = (judged: Judged): Judging => ({ steps: 0, patternSteps: 0, givenUp: 0, judged });

/** Counts further steps; whether they are too many. */
export const takesTooLong = (judging: Judging, steps: number): boolean => (judging.steps += steps) > MAX_STEPS;

/** The same for what reads a text from end to end. */
export const isReadTooOften = (judging: Judging, text: string): boolean => takesTooLong(judging, text.length / READ_AT_ONCE);

/** The verdict of a check that would take too long. */
export function giveUp(judging: Judging): Verdict {
  judging.givenUp += 1;
  return TOO_LONG;
}

/** A verdict that is good because something else is bad. Of what was given up nobody knows whether it is bad. */
export function unlessGivenUp(judging: Judging, judge: () => Verdict): Verdict {
  const before = judging.givenUp;
  const verdict = judge();
  return isGood(verdict) && judging.givenUp > before ? TOO_LONG : verdict;
}
