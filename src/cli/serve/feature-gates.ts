import { FEATURES, type Feature } from '#server';
import type { FlagValues } from '../parse-flags.ts';
import { nearest } from '../nearest.ts';
import { UsageError } from '../usage-error.ts';

export interface GivenFeatures {
  /** By name, all there are. */
  readonly isOn: ReadonlyMap<string, boolean>;
  /** Those that were switched and make no difference here. */
  readonly idle: readonly string[];
}

const GROUPS: Readonly<Record<string, Feature['stage']>> = { AllAlpha: 'Alpha', AllBeta: 'Beta' };

/** Which features are on. Throws `UsageError` for names that are not known, values that are neither true nor false, and what cannot be switched off. */
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
  if (more.length > 0 || !/^(?:true|false)$/i.test(value)) throw new UsageError(`--feature-gates: ${JSON.stringify(pair)} is not written Name=true or Name=false`);
  const feature = FEATURES.find((row) => row.name === name);
  if (feature === undefined && !Object.hasOwn(GROUPS, name)) {
    const near = nearest(name, [...FEATURES.map((row) => row.name), ...Object.keys(GROUPS)]);
    throw new UsageError(`--feature-gates: there is no feature ${JSON.stringify(name)}${near === undefined ? '' : `; did you mean ${near}?`}`);
  }
  const isOn = value.toLowerCase() === 'true';
  if (feature?.stage === 'GA' && isOn !== feature.isOn) throw new UsageError(`--feature-gates: ${name} is generally available and stays ${feature.isOn ? 'on' : 'off'}`);
  asked.set(name, isOn);
}

function groupValue({ stage }: Feature, asked: ReadonlyMap<string, boolean>): boolean | undefined {
  for (const [group, of] of Object.entries(GROUPS)) if (of === stage && asked.has(group)) return asked.get(group);
  return undefined;
}
