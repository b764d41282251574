import { resourceName } from '#api';

/** Core resources that a quota has always counted by their plain name. */
const PLAIN_COUNTS: ReadonlySet<string> = new Set(['configmaps', 'replicationcontrollers', 'resourcequotas', 'secrets']);

/** What goes on must be told even where a quota is used up. The newer group of events is counted all the same, as in 1.23. */
export const isFreeOfQuotas = (group: string, plural: string): boolean => group === '' && plural === 'events';

/** The names by which a quota counts the objects of any resource: `count/deployments.apps`. */
export function countNames(group: string, plural: string): readonly string[] {
  if (isFreeOfQuotas(group, plural)) return [];
  const count = `count/${resourceName({ group, plural })}`;
  return group === '' && PLAIN_COUNTS.has(plural) ? [plural, count] : [count];
}

/** `count/deployments.apps` → the resource it counts; undefined: not such a name, or nothing that is counted. */
export function countedBy(name: string): { readonly group: string; readonly plural: string } | undefined {
  if (PLAIN_COUNTS.has(name)) return { group: '', plural: name };
  if (!name.startsWith('count/')) return undefined;
  const [plural = '', ...labels] = name.slice('count/'.length).split('.');
  const group = labels.join('.');
  return isFreeOfQuotas(group, plural) ? undefined : { group, plural };
}
