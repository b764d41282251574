import { didYouMean, goBool } from '#base';
import { FEATURES, type Feature } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { UsageError } from '../usage-error.ts';

export interface GivenFeatures {
  /** All features by name. */
  readonly isOn: ReadonlyMap<string, boolean>;
  /** Names of features that were switched without effect. */
  readonly idle: readonly string[];
}

const GROUPS: Readonly<Record<string, Feature['stage']>> = { AllAlpha: 'Alpha', AllBeta: 'Beta' };

/** The features that are on. Throws `UsageError` for unknown names, values that are neither true nor false, and GA features that would change. */
export function readFeatureGates(flags: FlagValues): GivenFeatures {
  const asked = new Map<string, boolean>();
  for (const pair of flags.list('feature-gates').flatMap((text) => text.split(','))) {
    if (pair.trim() !== '') readPair(pair.trim(), asked);
  }
  const isOn = new Map(FEATURES.map((feature) => [feature.name, asked.get(feature.name) ?? groupValue(feature, asked) ?? feature.isOn]));
  const idle = FEATURES.filter(({ name, isOn: byDefault, isSwitched }) => isSwitched !== true && asked.has(name) && asked.get(name) !== byDefault);
  return { isOn, idle: idle.map(({ name }) => name) };
}

function readPair(pair: string, asked: Map<string, boolean>): void {
  const [name = '', value = '', ...more] = pair.split('=');
  const isOn = goBool(value);
  if (more.length > 0 || isOn === undefined) throw new UsageError(`--feature-gates: ${JSON.stringify(pair)} is not written Name=true or Name=false`);
  const feature = FEATURES.find((row) => row.name === name);
  if (feature === undefined && !Object.hasOwn(GROUPS, name)) {
    const known = [...FEATURES.map((row) => row.name), ...Object.keys(GROUPS)];
    throw new UsageError(`--feature-gates: there is no feature ${JSON.stringify(name)}${didYouMean(name, known)}`);
  }
  if (feature?.stage === 'GA' && isOn !== feature.isOn) throw new UsageError(`--feature-gates: ${name} is generally available and stays ${feature.isOn ? 'on' : 'off'}`);
  asked.set(name, isOn);
}

function groupValue({ stage }: Feature, asked: ReadonlyMap<string, boolean>): boolean | undefined {
  for (const [group, of] of Object.entries(GROUPS)) if (of === stage && asked.has(group)) return asked.get(group);
  return undefined;
}
