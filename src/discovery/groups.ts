import { compareVersions } from '#api';
import type { Published } from './definitions.ts';
import { prioritiesIn, type Priorities } from './group-priorities.table.ts';

/** A group and its served versions, in order of preference. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly string[];
}

/** Priorities of a group and version, as in its APIService, and whether another server serves it. */
export interface PlacedVersion extends Priorities {
  readonly group: string;
  readonly version: string;
  readonly isElsewhere: boolean;
}

/** All served groups, the core group (`''`) included, by this server and aggregated ones; default priorities where `placed` has none. */
export function servedGroups(catalog: Published, placed: readonly PlacedVersion[] = []): readonly ServedGroup[] {
  const known = new Map(placed.map((one) => [`${one.group}/${one.version}`, one]));
  const prioritiesOf = prioritiesIn(catalog.brand);
  const groups = new Map<string, Map<string, Priorities>>();
  const add = (group: string, version: string): void => {
    const versions = groups.get(group) ?? new Map<string, Priorities>();
    groups.set(group, versions.set(version, known.get(`${group}/${version}`) ?? prioritiesOf(group, version)));
  };
  for (const { group, versions } of catalog.resources) for (const { version } of versions) add(group, version);
  for (const { group, version, isElsewhere } of placed) if (isElsewhere) add(group, version);
  return [...groups]
    .map(([name, versions]) => ({ name, ...placeOf(name, versions), versions: orderVersions(versions) }))
    .sort((a, b) => b.rank - a.rank || (a.first < b.first ? -1 : 1))
    .map(({ name, versions }) => ({ name, versions }));
}

/** Groups of equal priority are sorted by the names of their APIServices, which begin with the version. */
function placeOf(name: string, versions: ReadonlyMap<string, Priorities>): { readonly rank: number; readonly first: string } {
  const rank = Math.max(...[...versions.values()].map(({ groupPriority }) => groupPriority));
  const leading = [...versions].filter(([, { groupPriority }]) => groupPriority === rank).map(([version]) => `${version}.${name}`);
  return { rank, first: leading.sort()[0] ?? '' };
}

function orderVersions(versions: ReadonlyMap<string, Priorities>): readonly string[] {
  const rankOf = (version: string): number => versions.get(version)?.versionPriority ?? 0;
  return [...versions.keys()].sort((a, b) => rankOf(b) - rankOf(a) || compareVersions(a, b));
}

const groupVersion = (group: string, version: string): { groupVersion: string; version: string } => ({ groupVersion: `${group}/${version}`, version });

/** A group as `/apis` lists it. */
function describeGroup({ name, versions }: ServedGroup): object {
  return {
    name,
    versions: versions.map((version) => groupVersion(name, version)),
    preferredVersion: groupVersion(name, versions[0] ?? ''),
  };
}

/** `/apis`. The core group is not in it. */
export function groupListDocument(groups: readonly ServedGroup[]): object {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.filter(({ name }) => name !== '').map(describeGroup) };
}

/** `/apis/<group>`. */
export function groupDocument(group: ServedGroup): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group) };
}

/** `/api`. Its `apiVersion` is empty, and left out of its text forms. `serverAddress` is host and port. */
export function coreVersionsDocument(groups: readonly ServedGroup[], serverAddress: string): object {
  const versions = groups.find(({ name }) => name === '')?.versions ?? [];
  return { kind: 'APIVersions', versions, serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }] };
}
