import { nearest } from '#base';
import { OPERATIONS, type AdmissionHooks, type Operation } from '#admission';
import { brandOf, DIALECTS, type Catalog, type KindDefinition } from '#api';
import { allKinds } from '#kinds';

/**
 * What is wrong with the hooks that a plugin of the embedding program has made; undefined: nothing. Hooks for requests that there cannot be would never
 * run, and what they are to refuse would be let through.
 */
export function faultOfHooks(hooks: AdmissionHooks, catalog: Catalog): string | undefined {
  // Plugins in plain JavaScript may return anything.
  const { on, kinds, mutate, validate }: Partial<AdmissionHooks> = (hooks as AdmissionHooks | undefined) ?? {};
  if (!Array.isArray(on) || !on.every((one) => OPERATIONS.includes(one as Operation))) return `its hooks have "on", a list of some of ${OPERATIONS.join(', ')}`;
  if (on.length > 0 && mutate === undefined && validate === undefined) return 'its hooks have neither "mutate" nor "validate"';
  if (kinds === undefined) return undefined;
  if (!Array.isArray(kinds)) return `"kinds" of its hooks is a list, each item ${FORM}`;
  const known = [...allKinds, ...catalog.resources.map(({ kind }) => kind)];
  for (const one of kinds) {
    const fault = faultOfName(String(one), known);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const FORM = 'group/plural or group/plural/subresource, as /pods, /pods/eviction or networking/ingresses';

const nameOf = ({ group, plural }: KindDefinition): string => `${group}/${plural}`;

function faultOfName(name: string, known: readonly KindDefinition[]): string | undefined {
  const [group = '', plural = '', subresource] = name.split('/');
  if (canBeThere(group, plural, subresource, known)) return undefined;
  const meant = similar(group, plural, subresource, known);
  const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`;
  return `its hooks are about ${JSON.stringify(name)}, which is never there: "kinds" are written ${FORM}${hint}`;
}

/** Groups of custom resources have a dot, and these may come at any time. */
function canBeThere(group: string, plural: string, subresource: string | undefined, known: readonly KindDefinition[]): boolean {
  const kind = known.find((one) => one.group === group && one.plural === plural);
  if (kind !== undefined) return subresource === undefined || kind.subresources?.[subresource] !== undefined;
  return group.includes('.') && plural !== '' && spelled(group, plural, known) === undefined;
}

/** The kind whose group is written as a dialect spells it. */
const spelled = (group: string, plural: string, known: readonly KindDefinition[]): KindDefinition | undefined =>
  known.find((one) => one.plural === plural && DIALECTS.some((dialect) => brandOf(dialect).group(one.group) === group));

function similar(group: string, plural: string, subresource: string | undefined, known: readonly KindDefinition[]): string | undefined {
  const named = known.find((one) => one.group === group && one.plural === plural);
  if (named !== undefined) return nearest(`${nameOf(named)}/${subresource}`, Object.keys(named.subresources ?? {}).map((part) => `${nameOf(named)}/${part}`));
  const words = [group, plural].map((word) => word.toLowerCase());
  const sameName = spelled(group, plural, known) ?? known.find((one) => words.includes(one.plural) || words.includes(one.kind.toLowerCase()));
  return sameName === undefined ? nearest(`${group}/${plural}`, known.map(nameOf)) : nameOf(sameName);
}
