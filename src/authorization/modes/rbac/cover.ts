import type { AccessRule } from '#request';
import { pathMatches } from '../path-match.ts';
import type { Rule } from './policy-parts.ts';

/** Limits for reported missing parts, in number and in characters; nobody reads more. */
const MAX_TOLD = 10_000;
const MAX_TOLD_CHARACTERS = 256 * 1024;
/** Limit of comparisons for one check: the lists of a short rule multiply to very many parts. Parts that were not compared count as missing. */
const MAX_STEPS = 5_000_000;

/**
 * The parts of `wanted` that no rule of `held` covers, each about one verb and one resource, name or path; truncated where there are very many.
 * Empty: a holder of `held` may grant `wanted`.
 */
export function uncovered(held: readonly Rule[], wanted: readonly Rule[]): readonly AccessRule[] {
  const told: AccessRule[] = [];
  const course: Course = { steps: 0 };
  const rules = held.map(readyOf);
  let characters = 0;
  for (const rule of wanted) {
    if (rules.some((one) => course.steps <= MAX_STEPS && includesWhole(one, rule, course))) continue;
    for (const part of missingOf(rules, rule, course)) {
      told.push(part);
      characters += sizeOf(part);
      if (told.length >= MAX_TOLD || characters > MAX_TOLD_CHARACTERS || course.steps > MAX_STEPS) return told;
    }
  }
  return told;
}

interface Course {
  steps: number;
}

/** A rule of `held`, with sets for fast comparison. */
interface Ready {
  readonly verbs: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  /** Empty: all names. */
  readonly names: ReadonlySet<string>;
  readonly paths: readonly string[];
}

const readyOf = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): Ready => ({
  verbs: new Set(verbs),
  groups: new Set(apiGroups),
  resources: new Set(resources),
  names: new Set(resourceNames),
  paths: nonResourceURLs ?? [],
});

const ALL = '*';
const has = (list: ReadonlySet<string>, text: string): boolean => list.has(ALL) || list.has(text);

function hasResource(list: ReadonlySet<string>, text: string): boolean {
  if (has(list, text)) return true;
  const at = text.indexOf('/');
  return at >= 0 && list.has(`*${text.slice(at)}`);
}

/** Whether one rule covers all of another. Most rules are granted exactly as held: then their parts need not be compared one by one. */
function includesWhole(rule: Ready, { verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule, course: Course): boolean {
  if ((nonResourceURLs ?? []).length > 0) return false;
  const every = (texts: readonly string[] | null | undefined, holds: (text: string) => boolean): boolean =>
    (texts ?? []).every((text) => {
      course.steps += 1;
      return holds(text);
    });
  return (
    every(verbs, (text) => has(rule.verbs, text)) &&
    every(apiGroups, (text) => has(rule.groups, text)) &&
    every(resources, (text) => hasResource(rule.resources, text)) &&
    (rule.names.size === 0 || ((resourceNames ?? []).length > 0 && every(resourceNames, (text) => rule.names.has(text))))
  );
}

/**
 * Yields the parts of a rule that no rule of `held` covers, as rules about one verb and one resource, name or path. Beyond the limit of steps every
 * further part is yielded without comparison; the caller stops then.
 */
function* missingOf(held: readonly Ready[], rule: Rule, course: Course): Generator<AccessRule> {
  for (const verb of rule.verbs ?? []) {
    const some = among(held, (one) => has(one.verbs, verb), course);
    yield* missingPaths(some, verb, rule, course);
    yield* missingResources(some, verb, rule, course);
  }
}

function* missingPaths(held: readonly Ready[], verb: string, { nonResourceURLs }: Rule, course: Course): Generator<AccessRule> {
  const patterns = held.flatMap(({ paths }) => paths);
  for (const url of nonResourceURLs ?? []) {
    if (isOver(patterns.length, course) || !patterns.some((pattern) => pathMatches(pattern, url))) yield { verbs: [verb], nonResourceURLs: [url] };
  }
}

function* missingResources(held: readonly Ready[], verb: string, { apiGroups, resources, resourceNames }: Rule, course: Course): Generator<AccessRule> {
  const names = resourceNames ?? [];
  for (const group of apiGroups ?? []) {
    const ofGroup = among(held, ({ groups }) => has(groups, group), course);
    for (const resource of resources ?? []) {
      const one = { verbs: [verb], apiGroups: [group], resources: [resource] };
      const found = among(ofGroup, (rule) => hasResource(rule.resources, resource), course);
      if (found.some((rule) => rule.names.size === 0)) continue;
      if (names.length === 0) yield one;
      for (const name of names) {
        if (isOver(found.length, course) || !found.some((rule) => rule.names.has(name))) yield { ...one, resourceNames: [name] };
      }
    }
  }
}

/** Adds to the number of comparisons; returns whether the limit is exceeded. */
const isOver = (comparisons: number, course: Course): boolean => (course.steps += comparisons + 1) > MAX_STEPS;

const among = (rules: readonly Ready[], holds: (rule: Ready) => boolean, course: Course): readonly Ready[] =>
  isOver(rules.length, course) ? [] : rules.filter(holds);

const sizeOf = (part: AccessRule): number => Object.values(part).reduce((sum: number, [text = '']: readonly string[]) => sum + text.length, 0);
