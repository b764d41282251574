import { t } from '#schema';

const MATCHING_PRECEDENCE = 1000;

const atomic = 'atomic';

/** The subject of a rule. Versions differ only in the names of the messages. */
function subjectOf(version: string) {
  const name = (what: string): string => `flowcontrol/${version}.${what}`;
  const UserSubject = t.message(name('UserSubject'), { name: t.string(1).required() });
  const GroupSubject = t.message(name('GroupSubject'), { name: t.string(1).required() });
  const ServiceAccountSubject = t.message(name('ServiceAccountSubject'), {
    namespace: t.string(1).required(),
    name: t.string(2).required(),
  });
  return t.message(name('Subject'), {
    kind: t.string(1).required(),
    user: t.perhaps(2, UserSubject),
    group: t.perhaps(3, GroupSubject),
    serviceAccount: t.perhaps(4, ServiceAccountSubject),
  });
}

/** A rule: subjects and their requests. */
function ruleOf(version: string) {
  const name = (what: string): string => `flowcontrol/${version}.${what}`;
  const ResourcePolicyRule = t.message(name('ResourcePolicyRule'), {
    verbs: t.strings(1, 'set').required(),
    apiGroups: t.strings(2, 'set').required(),
    resources: t.strings(3, 'set').required(),
    clusterScope: t.bool(4),
    namespaces: t.strings(5, 'set').always(),
  });
  const NonResourcePolicyRule = t.message(name('NonResourcePolicyRule'), {
    verbs: t.strings(1, 'set').required(),
    nonResourceURLs: t.strings(6, 'set').required(),
  });
  return t.message(name('PolicyRulesWithSubjects'), {
    subjects: t.many(1, subjectOf(version), atomic).required(),
    resourceRules: t.many(2, ResourcePolicyRule, atomic),
    nonResourceRules: t.many(3, NonResourcePolicyRule, atomic),
  });
}

/** The messages of a FlowSchema in one version. */
export function flowSchemaOf(version: string) {
  const name = (what: string): string => `flowcontrol/${version}.${what}`;
  const PriorityLevelConfigurationReference = t.message(name('PriorityLevelConfigurationReference'), { name: t.string(1).required() });
  const FlowDistinguisherMethod = t.message(name('FlowDistinguisherMethod'), { type: t.string(1).required() });
  const Spec = t.message(name('FlowSchemaSpec'), {
    priorityLevelConfiguration: t.one(1, PriorityLevelConfigurationReference).required(),
    matchingPrecedence: t.int32(2).always().default(MATCHING_PRECEDENCE),
    distinguisherMethod: t.perhaps(3, FlowDistinguisherMethod),
    rules: t.many(4, ruleOf(version), atomic),
  });
  const Condition = t.message(name('FlowSchemaCondition'), {
    type: t.string(1),
    status: t.string(2),
    lastTransitionTime: t.time(3),
    reason: t.string(4),
    message: t.string(5),
  });
  const Status = t.message(name('FlowSchemaStatus'), { conditions: t.many(1, Condition, { map: ['type'] }) });
  return t.message(name('FlowSchema'), { spec: t.one(2, Spec), status: t.one(3, Status) });
}

type FlowSchemaBody = InstanceType<ReturnType<typeof flowSchemaOf>>;
type Item<L> = NonNullable<L> extends readonly (infer T)[] ? T : never;

export type FlowSchemaSpec = FlowSchemaBody['spec'];
export type FlowRule = Item<FlowSchemaSpec['rules']>;
export type FlowSubject = Item<FlowRule['subjects']>;
export type FlowResourceRule = Item<FlowRule['resourceRules']>;
export type FlowPathRule = Item<FlowRule['nonResourceRules']>;
