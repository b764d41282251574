import type { AccessRule, Answer, Authorizer, Question, User } from '#request';
import { pathMatches } from '../path-match.ts';
import type { AbacPolicy } from './policy-line.ts';

/** The ABAC authorizer: allows what one line of the policy file allows, and has no opinion otherwise. @spec 5.1 */
export function abac(policies: readonly AbacPolicy[]): Authorizer {
  return {
    authorize: (question) => (policies.some((policy) => allows(policy, question)) ? ALLOWED : NO_OPINION),
    rulesOf(user, namespace) {
      const own = policies.filter((policy) => concerns(policy, user) && matches(policy.namespace, namespace));
      return { rules: own.flatMap(rulesIn), isIncomplete: false };
    },
  };
}

const ALLOWED: Answer = { verdict: 'allow', reason: '' };
const NO_OPINION: Answer = { verdict: 'noOpinion', reason: 'No policy matched.' };

const READING: readonly string[] = ['get', 'list', 'watch'];

const allows = (policy: AbacPolicy, question: Question): boolean =>
  concerns(policy, question.user) &&
  (!policy.isReadonly || READING.includes(question.verb)) &&
  (question.isResourceRequest ? resourceMatches(policy, question) : pathMatches(policy.nonResourcePath, question.path));

/** Where a policy names both a user and a group, both must match. A policy without either matches nobody. */
function concerns({ user, group }: AbacPolicy, { name, groups }: User): boolean {
  if (user === '' && group === '') return false;
  return (user === '' || user === name) && (group === '' || groups.includes(group));
}

const resourceMatches = (policy: AbacPolicy, { namespace, resource, group }: Question): boolean =>
  matches(policy.namespace, namespace) && matches(policy.resource, resource) && matches(policy.apiGroup, group);

const ALL = '*';
const matches = (pattern: string, text: string): boolean => pattern === ALL || pattern === text;

function rulesIn({ isReadonly, apiGroup, resource, nonResourcePath }: AbacPolicy): readonly AccessRule[] {
  const verbs = isReadonly ? READING : [ALL];
  return [
    ...(resource === '' ? [] : [{ verbs, apiGroups: [apiGroup], resources: [resource] }]),
    ...(nonResourcePath === '' ? [] : [{ verbs, nonResourceURLs: [nonResourcePath] }]),
  ];
}
