import type { Flag } from '#server';

/** A flag of a command. */
export interface CommandFlag extends Flag {
  /** One-letter name, used with a single dash. */
  readonly short?: string;
  /** Placeholder for the value in the help. */
  readonly value?: string;
}
