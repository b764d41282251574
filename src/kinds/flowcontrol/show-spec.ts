import { goStruct, goTexts, type GoValue } from '#errors';
import { goList, goPointer } from '../go-values.ts';
import type { FlowPathRule, FlowResourceRule, FlowRule, FlowSchemaSpec, FlowSubject } from './flow-schema-messages.ts';
import type { PriorityLevelSpec } from './priority-level-messages.ts';

const typeOf = (name: string): string => `flowcontrol.${name}`;
const struct = (name: string, members: Parameters<typeof goStruct>[1]): GoValue => goStruct(typeOf(name), members);
const list = <T>(name: string, items: readonly T[] | null | undefined, show: (item: T) => GoValue): GoValue => goList(typeOf(name), items?.map(show));

/** The spec of a flow schema as Go prints it in error messages. */
export function showFlowSchemaSpec({ priorityLevelConfiguration: { name }, matchingPrecedence, distinguisherMethod, rules }: FlowSchemaSpec): GoValue {
  return struct('FlowSchemaSpec', {
    PriorityLevelConfiguration: struct('PriorityLevelConfigurationReference', { Name: name }),
    MatchingPrecedence: matchingPrecedence,
    DistinguisherMethod: goPointer(typeOf('FlowDistinguisherMethod'), distinguisherMethod),
    Rules: list('PolicyRulesWithSubjects', rules, showRule),
  });
}

/** That of a priority level. */
export function showPriorityLevelSpec({ type, limited }: PriorityLevelSpec): GoValue {
  return struct('PriorityLevelConfigurationSpec', { Type: type, Limited: goPointer(typeOf('LimitedPriorityLevelConfiguration'), limited) });
}

const showRule = ({ subjects, resourceRules, nonResourceRules }: FlowRule): GoValue =>
  struct('PolicyRulesWithSubjects', {
    Subjects: list('Subject', subjects, showSubject),
    ResourceRules: list('ResourcePolicyRule', resourceRules, showResourceRule),
    NonResourceRules: list('NonResourcePolicyRule', nonResourceRules, showPathRule),
  });

const showSubject = ({ kind, user, group, serviceAccount }: FlowSubject): GoValue =>
  struct('Subject', {
    Kind: kind,
    User: goPointer(typeOf('UserSubject'), user),
    Group: goPointer(typeOf('GroupSubject'), group),
    ServiceAccount: goPointer(typeOf('ServiceAccountSubject'), serviceAccount),
  });

const showResourceRule = ({ verbs, apiGroups, resources, clusterScope = false, namespaces }: FlowResourceRule): GoValue =>
  struct('ResourcePolicyRule', { Verbs: goTexts(verbs), APIGroups: goTexts(apiGroups), Resources: goTexts(resources), ClusterScope: clusterScope, Namespaces: goTexts(namespaces) });

const showPathRule = ({ verbs, nonResourceURLs }: FlowPathRule): GoValue => struct('NonResourcePolicyRule', { Verbs: goTexts(verbs), NonResourceURLs: goTexts(nonResourceURLs) });
