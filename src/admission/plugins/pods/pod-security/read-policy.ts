import { FieldErrors } from '#errors';
import { LEVELS, MODES, readLevel, readVersion, type Level, type Policy, type RulesVersion, type Standard } from './level.ts';

type Labels = Readonly<Record<string, string>> | undefined;

export interface ReadPolicy {
  readonly policy: Policy;
  /** What is wrong with the labels. */
  readonly faults: FieldErrors;
}

/** The level where a label is invalid: pods are refused rather than admitted, without needless audit annotations and warnings. */
const UNREADABLE: Readonly<Record<(typeof MODES)[number], Level>> = { enforce: 'restricted', audit: 'privileged', warn: 'privileged' };

/** The policy of a namespace, by its labels; `prefix` is that of the label keys, with the slash. */
export function readPolicy(labels: Labels, defaults: Policy, prefix: string): ReadPolicy {
  const faults = new FieldErrors();
  const at = faults.child('metadata', 'labels');
  const read = <T>(name: string, otherwise: T, unreadable: T, parse: (text: string) => T | undefined, rule: string): T => {
    const key = `${prefix}${name}`;
    const text = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (text === undefined) return otherwise;
    const value = parse(text);
    if (value === undefined) at.key(key).invalid(text, rule);
    return value ?? unreadable;
  };
  const standards = MODES.map((mode): readonly [string, Standard] => {
    const level = read<Level>(mode, defaults[mode].level, UNREADABLE[mode], readLevel, `must be one of ${LEVELS.join(', ')}`);
    const version = read<RulesVersion>(`${mode}-version`, defaults[mode].version, 'latest', readVersion, 'must be "latest" or "v1.x"');
    return [mode, { level, version }];
  });
  return { policy: Object.fromEntries(standards) as unknown as Policy, faults };
}
