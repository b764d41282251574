import { resourceName } from '#api';

/** Core resources that a quota counts by their plain name, too. */
const PLAIN_COUNTS: ReadonlySet<string> = new Set(['configmaps', 'replicationcontrollers', 'resourcequotas', 'secrets']);

/** Whether a resource is exempt from quotas: events must be recorded even where a quota is exhausted. The newer events group counts, as in 1.23. */
export const isFreeOfQuotas = (group: string, plural: string): boolean => group === '' && plural === 'events';

/** The quota names for the number of objects of a resource, as `count/deployments.apps`. */
export function countNames(group: string, plural: string): readonly string[] {
  if (isFreeOfQuotas(group, plural)) return [];
  const count = `count/${resourceName({ group, plural })}`;
  return group === '' && PLAIN_COUNTS.has(plural) ? [plural, count] : [count];
}

/** The resource that a name as `count/deployments.apps` counts; undefined: it is no such name, or the resource is exempt. */
export function countedBy(name: string): { readonly group: string; readonly plural: string } | undefined {
  if (PLAIN_COUNTS.has(name)) return { group: '', plural: name };
  if (!name.startsWith('count/')) return undefined;
  const [plural = '', ...labels] = name.slice('count/'.length).split('.');
  const group = labels.join('.');
  return isFreeOfQuotas(group, plural) ? undefined : { group, plural };
}
