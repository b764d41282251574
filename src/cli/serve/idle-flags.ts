import { IDLE_FLAGS } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import type { GivenFeatures } from './feature-gates.ts';

/** A line for each flag that is given and does nothing. */
export const idleLines = (flags: FlagValues, features: GivenFeatures): readonly string[] => [
  ...IDLE_FLAGS.filter(({ name }) => flags.given.has(name)).map(({ name, idle }) => `orch: --${name} does nothing here: ${idle}\n`),
  ...features.idle.map((name) => `orch: --feature-gates: ${name} does nothing here: it is always as it is by default\n`),
];
