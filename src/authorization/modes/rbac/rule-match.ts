import type { RequestInfo } from '#request';
import { pathMatches } from '../path-match.ts';
import type { Rule } from './policy-parts.ts';

/** The attributes of a request that rules match. */
export type Wanted = Pick<RequestInfo, 'isResourceRequest' | 'verb' | 'path' | 'group' | 'resource' | 'subresource' | 'name'>;

type Texts = readonly string[] | null | undefined;

/** Whether this rule allows the request. @spec 2.15 */
function ruleAllows(rule: Rule, wanted: Wanted): boolean {
  if (!hasOrAll(rule.verbs, wanted.verb)) return false;
  if (!wanted.isResourceRequest) return (rule.nonResourceURLs ?? []).some((pattern) => pathMatches(pattern, wanted.path));
  return (
    hasOrAll(rule.apiGroups, wanted.group) &&
    (rule.resources ?? []).some((one) => resourceMatches(one, wanted)) &&
    nameMatches(rule.resourceNames, wanted.name)
  );
}

/** Whether one of these rules allows the request. */
export const rulesAllow = (rules: readonly Rule[], wanted: Wanted): boolean => rules.some((rule) => ruleAllows(rule, wanted));

const ALL = '*';
const hasOrAll = (list: Texts, text: string): boolean => (list ?? []).some((one) => one === ALL || one === text);

/**
 * A star matches everything, `pods/log` one subresource, a star before `/scale` that subresource of every resource; `pods` alone does not include
 * its subresources.
 */
function resourceMatches(one: string, { resource, subresource }: Pick<Wanted, 'resource' | 'subresource'>): boolean {
  if (one === ALL) return true;
  return subresource === '' ? one === resource : one === `${resource}/${subresource}` || one === `*/${subresource}`;
}

const nameMatches = (names: Texts, name: string): boolean => (names ?? []).length === 0 || (names ?? []).includes(name);
