/** The levels, from the least to the most restrictive. */
export const LEVELS = ['privileged', 'baseline', 'restricted'] as const;
export type Level = (typeof LEVELS)[number];

/** A minor version of the rules: they get stricter over time, and a namespace may pin a version. */
export type RulesVersion = number | 'latest';

/** A level in some version of the rules. */
export interface Standard {
  readonly level: Level;
  readonly version: RulesVersion;
}

/** The standards of a namespace: violations are refused, noted in the audit log, warned of. */
export interface Policy {
  readonly enforce: Standard;
  readonly audit: Standard;
  readonly warn: Standard;
}

export const MODES = ['enforce', 'audit', 'warn'] as const;

export const formatStandard = ({ level, version }: Standard): string => `${level}:${version === 'latest' ? version : `v1.${version}`}`;

/** The newest minor version that has rules. */
const NEWEST = 23;

/** The version as metrics have it: namespaces name any, and must not make a series each. Every version of `privileged` is the same. */
export function countedVersion({ level, version }: Standard): string {
  if (version === 'latest' || level === 'privileged') return 'latest';
  return version > NEWEST ? 'future' : `v1.${version}`;
}

/** Positive: `one` is stricter. */
export const compareLevels = (one: Level, other: Level): number => LEVELS.indexOf(one) - LEVELS.indexOf(other);

/** undefined: no such level. */
export const readLevel = (text: unknown): Level | undefined => LEVELS.find((level) => level === text);

/** `latest` or `v1.22`; undefined: neither. */
export function readVersion(text: unknown): RulesVersion | undefined {
  if (text === 'latest') return text;
  const minor = typeof text === 'string' ? /^v1\.(0|[1-9][0-9]{0,17})$/.exec(text)?.[1] : undefined;
  return minor === undefined ? undefined : Number(minor);
}
