import type { AccessRule } from '#request';
import type { Rule } from './policy-parts.ts';
import { pathMatches } from './rule-match.ts';

/**
 * The parts of `wanted` that no rule of `held` includes, each about one verb and one resource, name or path. Empty: nothing is granted that
 * is not held already.
 */
export const uncovered = (held: readonly Rule[], wanted: readonly Rule[]): readonly AccessRule[] =>
  wanted.flatMap(partsOf).filter((part) => !held.some((rule) => includes(rule, part)));

/** One rule as rules of one of everything. */
function partsOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): readonly AccessRule[] {
  const parts: AccessRule[] = [];
  for (const verb of verbs ?? []) {
    for (const url of nonResourceURLs ?? []) parts.push({ verbs: [verb], nonResourceURLs: [url] });
    for (const group of apiGroups ?? []) {
      for (const resource of resources ?? []) {
        const one = { verbs: [verb], apiGroups: [group], resources: [resource] };
        if ((resourceNames ?? []).length === 0) parts.push(one);
        for (const name of resourceNames ?? []) parts.push({ ...one, resourceNames: [name] });
      }
    }
  }
  return parts;
}

/** `part` is one of `partsOf`. */
function includes(rule: Rule, part: AccessRule): boolean {
  if (!hasOrAll(rule.verbs, part.verbs)) return false;
  if ((part.nonResourceURLs ?? []).length > 0) {
    return (part.nonResourceURLs ?? []).every((url) => (rule.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, url)));
  }
  return hasOrAll(rule.apiGroups, part.apiGroups) && resourcesInclude(rule.resources, part.resources) && namesInclude(rule, part);
}

type Texts = readonly string[] | null | undefined;

const hasOrAll = (list: Texts, texts: Texts): boolean =>
  (texts ?? []).every((text) => (list ?? []).some((one) => one === '*' || one === text));

const resourcesInclude = (list: Texts, texts: Texts): boolean =>
  (texts ?? []).every((text) => {
    const at = text.indexOf('/');
    const anywhere = at < 0 ? undefined : `*${text.slice(at)}`;
    return (list ?? []).some((one) => one === '*' || one === text || one === anywhere);
  });

const namesInclude = (rule: Rule, part: AccessRule): boolean => {
  const held = rule.resourceNames ?? [];
  const names = part.resourceNames ?? [];
  return held.length === 0 || (names.length > 0 && names.every((name) => held.includes(name)));
};
