import { inOneMessage } from '#errors';
import type { AccessRule, Answer, Authorizer, Question } from '#request';
import { Decisions } from './decisions.ts';
import type { Rule } from './policy-parts.ts';
import type { Grant, Policy } from './policy.ts';
import { rulesAllow } from './rule-match.ts';
import { rulesFor } from './rules-for.ts';

/**
 * The RBAC authorizer: allows what a binding grants, and has no opinion otherwise, since rules only add permissions.
 * `group`: the API group of roles, as served; it is part of messages about missing roles.
 * @spec 5.1 @spec 2.15
 */
export function rbac(policy: Policy, group: string): Authorizer {
  const decisions = new Decisions();
  return {
    authorize: (question) => decisions.remember(question, policy.revision, () => decide(policy, group, question)),
    rulesOf(user, namespace) {
      const { rules, missing } = rulesFor(policy, user, namespace);
      const failure = missing.length === 0 ? {} : { failure: inOneMessage([...new Set(missing.map((roleRef) => roleNotFound(roleRef, group)))]) };
      return { rules: rules.map(accessRule), isIncomplete: false, ...failure };
    },
  };
}

const NO_OPINION: Answer = { verdict: 'noOpinion', reason: '' };

function decide(policy: Policy, group: string, question: Question): Answer {
  // Non-resource paths have no namespace, whatever the question contains.
  const namespace = question.isResourceRequest ? question.namespace : '';
  let missing: Set<string> | undefined;
  // Rules that did not match are not evaluated again: many bindings may refer to the same role, and a role may have very many rules.
  const refused = new Set<readonly Rule[]>();
  for (const grants of policy.grantsOf(question.user, namespace)) {
    for (const grant of grants) {
      const { roleRef } = grant.binding;
      const rules = policy.rulesOf(roleRef, grant.namespace);
      if (rules === undefined) (missing ??= new Set()).add(roleNotFound(roleRef, group));
      else if (refused.has(rules)) continue;
      else if (rulesAllow(rules, question)) return { verdict: 'allow', reason: reasonOf(grant) };
      else refused.add(rules);
    }
  }
  return missing === undefined ? NO_OPINION : { verdict: 'noOpinion', reason: `RBAC: ${inOneMessage([...missing])}` };
}

/** The message about a binding whose role does not exist. */
const roleNotFound = ({ kind, name }: Grant['binding']['roleRef'], group: string): string =>
  `${kind.toLowerCase()}.${group} ${JSON.stringify(name)} not found`;

function reasonOf({ binding: { metadata, roleRef }, namespace, subject }: Grant): string {
  const name = metadata.name ?? '';
  const what = namespace === '' ? `ClusterRoleBinding ${JSON.stringify(name)}` : `RoleBinding ${JSON.stringify(`${name}/${namespace}`)}`;
  const who = subject.kind === 'ServiceAccount' ? `${subject.name}/${subject.namespace || namespace}` : subject.name;
  return `RBAC: allowed by ${what} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${subject.kind} ${JSON.stringify(who)}`;
}

const accessRule = (rule: Rule): AccessRule =>
  Object.fromEntries(Object.entries(rule).filter(([, list]) => list !== null)) as unknown as AccessRule;
