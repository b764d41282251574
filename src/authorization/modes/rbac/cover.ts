import type { AccessRule } from '#request';
import { pathMatches } from '../path-match.ts';
import type { Rule } from './policy-parts.ts';

/** So many missing parts are told, and so much text of them; nobody reads more. */
const MAX_TOLD = 10_000;
const MAX_TOLD_CHARACTERS = 256 * 1024;
/** Comparisons for one question: lists of a short rule multiply to more parts than can be looked at. What was not looked at counts as missing. */
const MAX_STEPS = 5_000_000;

/**
 * The parts of `wanted` that no rule of `held` includes, each about one verb and one resource, name or path. Empty: nothing is granted that
 * is not held already. Of very many the first are told.
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

/** A rule that many parts are compared with. */
interface Ready {
  readonly verbs: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  /** Empty: all. */
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

/** Most rules are held as they are wanted: then their parts need not be looked at one by one. */
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

/** One after the other, as rules of one of everything. Those who ask for them may stop; beyond the bound of steps the next part is missing unseen. */
function* missingOf(held: readonly Ready[], { verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule, course: Course): Generator<AccessRule> {
  const names = resourceNames ?? [];
  const isOver = (more: number): boolean => (course.steps += more + 1) > MAX_STEPS;
  const among = (rules: readonly Ready[], holds: (rule: Ready) => boolean): readonly Ready[] => (isOver(rules.length) ? [] : rules.filter(holds));
  for (const verb of verbs ?? []) {
    const some = among(held, (rule) => has(rule.verbs, verb));
    const patterns = some.flatMap(({ paths }) => paths);
    for (const url of nonResourceURLs ?? []) {
      if (isOver(patterns.length) || !patterns.some((pattern) => pathMatches(pattern, url))) yield { verbs: [verb], nonResourceURLs: [url] };
    }
    for (const group of apiGroups ?? []) {
      const ofGroup = among(some, ({ groups }) => has(groups, group));
      for (const resource of resources ?? []) {
        const one = { verbs: [verb], apiGroups: [group], resources: [resource] };
        const found = among(ofGroup, (rule) => hasResource(rule.resources, resource));
        if (found.some((rule) => rule.names.size === 0)) continue;
        if (names.length === 0) yield one;
        for (const name of names) {
          if (isOver(found.length) || !found.some((rule) => rule.names.has(name))) yield { ...one, resourceNames: [name] };
        }
      }
    }
  }
}

const sizeOf = (part: AccessRule): number => Object.values(part).reduce((sum: number, [text = '']: readonly string[]) => sum + text.length, 0);
