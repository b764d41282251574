import { compileSelectorMessage, faultOfValues, type ApiObject, type LabelSelector } from '#api';
import { qosClassOf } from '../pod/qos-class.ts';
import type { PodAffinityTerm } from '../pod/affinity.ts';
import type { Pod } from '../pod.ts';
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '../resource-quota-spec.ts';
import { isQuotaNameOf, type QuotaContext, type QuotaSubject } from './usage.ts';

const PRIORITY_CLASS = 'PriorityClass';

/** The names in a quota's `hard` that objects of a resource count for. */
export const quotaNames = ({ hard = {} }: ResourceQuotaSpec, { group, plural }: Omit<QuotaSubject, 'object'>, { brand }: Pick<QuotaContext, 'brand'>): readonly string[] =>
  Object.keys(hard).filter((name) => isQuotaNameOf(group, plural, name, brand));

/** Whether an object counts in a quota: the quota limits one of its resources, and all scopes match. */
export const isInQuota = (spec: ResourceQuotaSpec, subject: QuotaSubject, context: Pick<QuotaContext, 'brand'>): boolean =>
  quotaNames(spec, subject, context).length > 0 && scopesOf(spec).every((scope) => isInScope(scope, subject));

/** `scopes` and `scopeSelector` as one list of requirements. */
export const scopesOf = ({ scopes, scopeSelector }: ResourceQuotaSpec): readonly ScopedResourceSelectorRequirement[] => [
  ...(scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' })),
  ...(scopeSelector?.matchExpressions ?? []),
];

/** Whether a subject is a pod. */
export const isOfPod = ({ group, plural }: QuotaSubject): boolean => group === '' && plural === 'pods';

/** Whether an object matches a scope; only pods can. */
export const isInScope = (scope: ScopedResourceSelectorRequirement, subject: QuotaSubject): boolean =>
  isOfPod(subject) && (SCOPES.get(scope.scopeName)?.(asPod(subject.object), scope) ?? false);

/** Why no pod can be matched with a scope: it has values that no label can have, which validation lets pass; undefined: all can. */
export const faultOfScope = (scope: ScopedResourceSelectorRequirement): string | undefined => (scope.scopeName === PRIORITY_CLASS ? faultOfValues(prioritySelector(scope)) : undefined);

const asPod = (object: ApiObject): Pod => object as Pod;

const SCOPES: ReadonlyMap<string, (pod: Pod, scope: ScopedResourceSelectorRequirement) => boolean> = new Map([
  ['Terminating', isTerminating],
  ['NotTerminating', (pod: Pod) => !isTerminating(pod)],
  ['BestEffort', ({ spec }: Pod) => qosClassOf(spec) === 'BestEffort'],
  ['NotBestEffort', ({ spec }: Pod) => qosClassOf(spec) !== 'BestEffort'],
  [PRIORITY_CLASS, isOfPriority],
  ['CrossNamespacePodAffinity', reachesOut],
]);

/** Whether the pod runs for a limited time. */
function isTerminating({ spec: { activeDeadlineSeconds: seconds } }: Pod): boolean {
  return seconds !== undefined && Number(seconds) >= 0;
}

function isOfPriority({ spec: { priorityClassName: name } }: Pod, scope: ScopedResourceSelectorRequirement): boolean {
  return compileSelectorMessage(prioritySelector(scope))(name ? { [PRIORITY_CLASS]: name } : {});
}

/** The name of the priority class of a pod is selected as if it were a label. */
const prioritySelector = ({ operator, values }: ScopedResourceSelectorRequirement): LabelSelector => ({ matchExpressions: [{ key: PRIORITY_CLASS, operator, ...(values ? { values } : {}) }] });

/** Whether the pod has affinity or anti-affinity terms about other namespaces. */
function reachesOut({ spec: { affinity } }: Pod): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some((rules) => {
    const terms: readonly PodAffinityTerm[] = [
      ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
    ];
    return terms.some(({ namespaces, namespaceSelector }) => (namespaces?.length ?? 0) > 0 || namespaceSelector !== undefined);
  });
}
