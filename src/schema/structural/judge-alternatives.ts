import { goQuoted } from '#errors';
import { append, GOOD, isGood, unfit, verdictOf, type Fault, type Verdict } from './verdict.ts';

/** The alternative that came closest. */
const nearest = (verdicts: readonly Verdict[]): Verdict => verdicts.reduce((best, one) => (one.matches > best.matches ? one : best));

const preceded = (fault: Fault, { faults, matches }: Verdict): Verdict => ({ faults: [fault, ...faults], matches });

/** One of them must be good. */
export function judgeAnyOf(verdicts: readonly Verdict[], path: string): Verdict {
  return verdicts.find(isGood) ?? preceded(unfit(`${goQuoted(path)} must validate at least one schema (anyOf)`), nearest(verdicts));
}

/** Exactly one of them must be good. */
export function judgeOneOf(verdicts: readonly Verdict[], path: string): Verdict {
  const [good, ...others] = verdicts.filter(isGood);
  if (good !== undefined && others.length === 0) return good;
  const found = good === undefined ? 'none valid' : `${others.length + 1} valid alternatives`;
  const fault = unfit(`${goQuoted(path)} must validate one and only one schema (oneOf). Found ${found}`);
  return good === undefined ? preceded(fault, nearest(verdicts)) : verdictOf([fault]);
}

/** All of them must be good. */
export function judgeAllOf(verdicts: readonly Verdict[], path: string): Verdict {
  const faults: Fault[] = [];
  for (const verdict of verdicts) append(faults, verdict.faults);
  const matches = verdicts.reduce((sum, verdict) => sum + verdict.matches, 0);
  if (faults.length === 0) return { faults, matches };
  const rest = verdicts.some(isGood) ? '' : '. None validated';
  return { faults: [...faults, unfit(`${goQuoted(path)} must validate all the schemas (allOf)${rest}`)], matches };
}

/** It must not be good. */
export const judgeNot = (verdict: Verdict, path: string): Verdict => (isGood(verdict) ? verdictOf([unfit(`${goQuoted(path)} must not validate the schema (not)`)]) : GOOD);
