import { inOneMessage } from '#errors';
import type { Condition, Definition, Names } from './definition.ts';

/** Names used by the definitions of a group. */
interface TakenNames {
  /** Plurals, singulars and short names. */
  readonly resources: ReadonlySet<string>;
  /** Kinds, and kinds of lists. */
  readonly kinds: ReadonlySet<string>;
}

/** The accepted names of the definitions of a group. */
function takenBy(definitions: readonly Definition[]): TakenNames {
  const accepted = definitions.map(({ status }) => status.acceptedNames);
  const given = (names: readonly (string | undefined)[]): ReadonlySet<string> => new Set(names.filter((name): name is string => Boolean(name)));
  return {
    resources: given(accepted.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...(shortNames ?? [])])),
    kinds: given(accepted.flatMap(({ kind, listKind }) => [kind, listKind])),
  };
}

type Verdict = Omit<Condition, 'lastTransitionTime'>;

export interface AcceptedNames {
  readonly names: Names;
  /** `NamesAccepted`, without the time. */
  readonly verdict: Verdict;
}

/** Single names: the field, the names it must not collide with, and the reason for a collision. */
const BEFORE_SHORT = [
  ['plural', 'resources', 'PluralConflict'],
  ['singular', 'resources', 'SingularConflict'],
] as const;
const BEHIND_SHORT = [
  ['kind', 'kinds', 'KindConflict'],
  ['listKind', 'kinds', 'ListKindConflict'],
] as const;
type Row = (typeof BEFORE_SHORT)[number] | (typeof BEHIND_SHORT)[number];

/**
 * Which requested names a definition gets; `group` are the definitions of its group, itself among them. Names it was given before it keeps.
 * @spec 4.1
 */
export function acceptNames({ spec, status }: Definition, group: readonly Definition[]): AcceptedNames {
  const had = status.acceptedNames;
  // Not needed by a definition that has all the names it wants, as nearly all have.
  let taken: TakenNames | undefined;
  const isTaken = (set: keyof TakenNames, name: string): boolean => (taken ??= takenBy(group))[set].has(name);
  const names: { -readonly [K in keyof Names]: Names[K] } = { ...had };
  let verdict: Verdict = { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  const refuse = (reason: string, message: string): void => void (verdict = { type: 'NamesAccepted', status: 'False', reason, message });
  const take = ([member, set, reason]: Row): void => {
    const wanted = spec.names[member] ?? '';
    if (wanted !== (had[member] ?? '') && isTaken(set, wanted)) refuse(reason, `${JSON.stringify(wanted)} is already in use`);
    else if (wanted !== '') names[member] = wanted;
  };
  const { shortNames, categories } = spec.names;
  const refused = clashes(shortNames ?? [], had.shortNames ?? [], isTaken);
  // Of several conflicts the last one is reported.
  BEFORE_SHORT.forEach(take);
  if (refused.length > 0) refuse('ShortNamesConflict', tellAll(refused));
  else setList(names, 'shortNames', shortNames);
  BEHIND_SHORT.forEach(take);
  setList(names, 'categories', categories);
  return { names, verdict };
}

/** A definition without those of its accepted names that others have, too. */
export function withoutNames(definition: Definition, others: readonly Definition[]): Definition {
  const { resources, kinds } = takenBy(others);
  const { plural, singular = '', shortNames = [], kind, listKind = '', ...rest } = definition.status.acceptedNames;
  const kept = shortNames.filter((name) => !resources.has(name));
  const acceptedNames: Names = {
    ...rest,
    plural: resources.has(plural) ? '' : plural,
    kind: kinds.has(kind) ? '' : kind,
    ...(singular === '' || resources.has(singular) ? {} : { singular }),
    ...(kept.length === 0 ? {} : { shortNames: kept }),
    ...(listKind === '' || kinds.has(listKind) ? {} : { listKind }),
  };
  return { ...definition, status: { ...definition.status, acceptedNames } };
}

const tellAll = (refused: readonly string[]): string => inOneMessage([...new Set(refused)].map((name) => `${JSON.stringify(name)} is already in use`));

function clashes(wanted: readonly string[], had: readonly string[], isTaken: (set: keyof TakenNames, name: string) => boolean): readonly string[] {
  const kept = new Set(had);
  return wanted.filter((name) => !kept.has(name) && isTaken('resources', name));
}

function setList(names: { -readonly [K in keyof Names]: Names[K] }, member: 'shortNames' | 'categories', list: string[] | undefined): void {
  if (list === undefined || list.length === 0) delete names[member];
  else names[member] = list;
}
