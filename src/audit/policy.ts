import type { RequestInfo, User } from '#request';
import type { AuditStage, Level } from './level.ts';
import type { PolicyDocument, PolicyRule, ResourceRule } from './policy-file.ts';

/** The level and omitted stages for one request. */
export interface Judgement {
  readonly level: Level;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** Evaluates the policy for a request; `user` is undefined where authentication failed. */
export type JudgeAudit = (info: RequestInfo, user: User | undefined) => Judgement;

const NOTHING: Judgement = { level: 'None', omitStages: new Set(), omitManagedFields: false };

/** Compiles a policy: the first matching rule decides; requests that match no rule are not logged. @spec 6 */
export function compilePolicy(policy: PolicyDocument): JudgeAudit {
  const rules = policy.rules.map((rule) => ({ fits: compileRule(rule), judgement: judgementOf(rule, policy) }));
  return (info, user) => rules.find(({ fits }) => fits(info, user))?.judgement ?? NOTHING;
}

const judgementOf = (rule: PolicyRule, policy: PolicyDocument): Judgement => ({
  level: rule.level,
  omitStages: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])]),
  omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
});

type Fits = (info: RequestInfo, user: User | undefined) => boolean;

function compileRule(rule: PolicyRule): Fits {
  const users = setOf(rule.users);
  const groups = setOf(rule.userGroups);
  const verbs = setOf(rule.verbs);
  const fitsPlace = compilePlace(rule);
  return (info, user) =>
    (users === undefined || (user !== undefined && users.has(user.name))) &&
    (groups === undefined || user?.groups.some((group) => groups.has(group)) === true) &&
    (verbs === undefined || verbs.has(info.verb)) &&
    fitsPlace(info);
}

const setOf = (values: readonly string[] | undefined): ReadonlySet<string> | undefined =>
  values === undefined ? undefined : new Set(values);

function compilePlace({ namespaces, resources = [], nonResourceURLs = [] }: PolicyRule): (info: RequestInfo) => boolean {
  const within = setOf(namespaces);
  if (within !== undefined || resources.length > 0) {
    return (info) =>
      info.isResourceRequest &&
      (within === undefined || within.has(info.namespace)) &&
      (resources.length === 0 || resources.some((rule) => fitsResource(rule, info)));
  }
  if (nonResourceURLs.length === 0) return () => true;
  return (info) => !info.isResourceRequest && nonResourceURLs.some((url) => fitsPath(url, info.path));
}

const fitsPath = (url: string, path: string): boolean => url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));

function fitsResource({ group = '', resources = [], resourceNames = [] }: ResourceRule, info: RequestInfo): boolean {
  if (group !== info.group) return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(info.name)) return false;
  const whole = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  return resources.some(
    (wanted) =>
      wanted === '*' ||
      wanted === whole ||
      wanted === `${info.resource}/*` ||
      (info.subresource !== '' && wanted === `*/${info.subresource}`),
  );
}
