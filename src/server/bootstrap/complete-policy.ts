import { cloneJson, isDeepEqual } from '#base';
import { uncovered } from '#authorization';
import type { PolicyObject } from './policy.ts';

type Rule = NonNullable<PolicyObject['rules']>[number];

/** Whether an administrator has opted this role or binding out, by the annotation that all default ones have. */
export function isLeftAlone({ metadata }: PolicyObject, wanted: PolicyObject): boolean {
  const [mark = ''] = Object.keys(wanted.metadata.annotations ?? {});
  return metadata.annotations?.[mark] === 'false';
}

/** Whether a binding has to be made anew: it refers to another role, which no write can change. */
export const refersElsewhere = (live: PolicyObject, wanted: PolicyObject): boolean => !isDeepEqual(live.roleRef, wanted.roleRef);

/**
 * `live` with what it lacks of the default role or binding `wanted`: permissions that its rules do not grant, one by one, selectors of the roles it is
 * put together from, subjects, labels and annotations. What stands there stays, except that a role is put together from others only where the default
 * one is.
 * @spec 2.15
 */
export function completePolicy(live: PolicyObject, wanted: PolicyObject): PolicyObject {
  const next = cloneJson(live);
  next.metadata.labels = { ...wanted.metadata.labels, ...next.metadata.labels };
  next.metadata.annotations = { ...wanted.metadata.annotations, ...next.metadata.annotations };
  if (wanted.subjects) next.subjects = withMissing(live.subjects, wanted.subjects);
  if (wanted.aggregationRule) {
    const selectors = withMissing(live.aggregationRule?.clusterRoleSelectors, wanted.aggregationRule.clusterRoleSelectors);
    next.aggregationRule = { clusterRoleSelectors: selectors };
  } else {
    delete next.aggregationRule;
    // Those of other roles are put together elsewhere.
    const missing = uncovered(live.rules ?? [], (wanted.rules ?? []).flatMap(partsOf));
    if (missing.length > 0) next.rules = [...(next.rules ?? []), ...(cloneJson(missing) as Rule[])];
  }
  return next;
}

/** The permissions that a rule grants, one by one. */
function partsOf({ verbs: several, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): readonly Rule[] {
  const [verbs, names] = [several ?? [], resourceNames ?? []];
  const about = (apiGroups ?? []).flatMap((group) =>
    (resources ?? []).flatMap((resource) =>
      verbs.flatMap((verb): Rule[] => {
        const part = { verbs: [verb], apiGroups: [group], resources: [resource] };
        return names.length === 0 ? [part] : names.map((name) => ({ ...part, resourceNames: [name] }));
      }),
    ),
  );
  return [...about, ...(nonResourceURLs ?? []).flatMap((url) => verbs.map((verb): Rule => ({ verbs: [verb], nonResourceURLs: [url] })))];
}

const withMissing = <T>(live: readonly T[] | null | undefined, wanted: readonly T[] | null | undefined): T[] => [
  ...(live ?? []),
  ...(wanted ?? []).filter((one) => !(live ?? []).some((other) => isDeepEqual(one, other))),
];
