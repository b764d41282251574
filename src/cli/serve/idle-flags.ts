import { IDLE_FLAGS, type IdleFlag } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';
import type { GivenFeatures } from './feature-gates.ts';

/** A notice for each given flag or feature gate that has no effect. Throws `UsageError` for a value whose effect is not supported. */
export const idleLines = (flags: FlagValues, features: GivenFeatures): readonly string[] => [
  ...IDLE_FLAGS.filter(({ name }) => flags.given.has(name)).map((flag) => idleLine(flag, flags.text(flag.name) ?? '')),
  ...features.idle.map((name) => `orch: --feature-gates: ${name} does nothing here: it is always as it is by default\n`),
];

function idleLine({ name, idle, only }: IdleFlag, value: string): string {
  if (only !== undefined && value !== '' && !only.includes(value)) throw new UsageError(`--${name}${only.length === 0 ? '' : `=${value}`} is not offered here: ${idle}`);
  return `orch: --${name} does nothing here: ${idle}\n`;
}
