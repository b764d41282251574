/** Core resources that a quota has always counted by their plain name. */
const PLAIN_COUNTS: ReadonlySet<string> = new Set(['configmaps', 'replicationcontrollers', 'resourcequotas', 'secrets']);

/** The names by which a quota counts the objects of any resource: `count/deployments.apps`. */
export function countNames(group: string, plural: string): readonly string[] {
  const count = `count/${group === '' ? plural : `${plural}.${group}`}`;
  return group === '' && PLAIN_COUNTS.has(plural) ? [plural, count] : [count];
}

/** `count/deployments.apps` → the resource it counts; undefined: not such a name. */
export function countedBy(name: string): { readonly group: string; readonly plural: string } | undefined {
  if (PLAIN_COUNTS.has(name)) return { group: '', plural: name };
  if (!name.startsWith('count/')) return undefined;
  const [plural = '', ...group] = name.slice('count/'.length).split('.');
  return { group: group.join('.'), plural };
}
