import { inOneMessage } from '#errors';
import type { AccessRule, Answer, Authorizer, Question } from '#request';
import { Decisions } from './decisions.ts';
import type { Rule } from './policy-parts.ts';
import type { Grant, Policy } from './policy.ts';
import { rulesAllow } from './rule-match.ts';
import { rulesFor } from './rules-for.ts';

/**
 * Allows what a binding grants. Has no opinion on everything else: rules only add permission.
 * `group` is that of roles, as on the wire; it is part of what is said about roles that do not exist.
 * @spec 5.1 @spec 2.15
 */
export function rbac(policy: Policy, group: string): Authorizer {
  const decisions = new Decisions();
  return {
    authorize: (question) => decisions.remember(question, policy.revision, () => decide(policy, group, question)),
    rulesOf: (user, namespace) => ({ rules: rulesFor(policy, user, namespace).map(accessRule), isIncomplete: false }),
  };
}

const NO_OPINION: Answer = { verdict: 'noOpinion', reason: '' };

function decide(policy: Policy, group: string, question: Question): Answer {
  // Paths belong to no namespace, whatever the question says.
  const namespace = question.isResourceRequest ? question.namespace : '';
  let missing: Set<string> | undefined;
  for (const grants of policy.grantsOf(question.user, namespace)) {
    for (const grant of grants) {
      const { roleRef } = grant.binding;
      const rules = policy.rulesOf(roleRef, grant.namespace);
      if (rules === undefined) (missing ??= new Set()).add(roleNotFound(roleRef, group));
      else if (rulesAllow(rules, question)) return { verdict: 'allow', reason: reasonOf(grant) };
    }
  }
  return missing === undefined ? NO_OPINION : { verdict: 'noOpinion', reason: `RBAC: ${inOneMessage([...missing])}` };
}

/** What is wrong with a binding whose role does not exist. */
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
