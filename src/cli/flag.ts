import type { Flag } from '#server';

/** A flag of any command. */
export interface CommandFlag extends Flag {
  /** The letter behind one dash. */
  readonly short?: string;
  /** What stands for the value in the help. */
  readonly value?: string;
}
