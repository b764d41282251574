import { goUntyped, type FieldErrors } from '#errors';

/** Something wrong with a value. `path`: dotted, without positions in lists, as the API reports it; undefined: the value as a whole is wrong. */
export interface Fault {
  readonly path: string | undefined;
  /** The same for equal faults. */
  readonly text: string;
  report(at: FieldErrors): void;
}

export const invalid = (path: string, value: unknown, why: string): Fault => ({
  path,
  text: `${path} ${why}`,
  report: (at) => at.invalid(goUntyped(value), `${path} in body ${why}`),
});

export const forbidden = (above: string, name: string): Fault => {
  const why = `${above}.${name} in body is a forbidden property`;
  return { path: above, text: why, report: (at) => at.invalid(name, why) };
};

/** About the value as a whole: no field is to blame. */
export const unfit = (why: string): Fault => ({ path: undefined, text: why, report: (at) => at.invalid('', why) });

/** The path of a member. */
export const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** The result of a check. Where all alternatives fail, the faults of the one with the most matches are reported. */
export interface Verdict {
  readonly faults: readonly Fault[];
  /** How many checks were made, and how many parts of the value have the right type: the more, the more likely the schema is meant for this value. */
  readonly matches: number;
}

export const GOOD: Verdict = { faults: [], matches: 0 };
export const FITTING: Verdict = { faults: [], matches: 1 };
export const TOO_LONG: Verdict = { faults: [unfit('takes too long to check against its schema')], matches: 0 };

export const verdictOf = (faults: readonly Fault[], matches = 0): Verdict => (faults.length === 0 && matches === 0 ? GOOD : { faults, matches });

export const isGood = ({ faults }: Verdict): boolean => faults.length === 0;

/** Faults that one part of a value can have; nobody reads more. */
export const MAX_FAULTS = 256;

/** Adds faults, up to the bound. */
export function append(to: Fault[], more: readonly Fault[]): void {
  for (const fault of more) {
    if (to.length >= MAX_FAULTS) return;
    to.push(fault);
  }
}
