import type { Brand, Catalog } from '#api';

/** A group and its served versions, in order of preference. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly string[];
}

/** Groups in the order clients are to look through them, in neutral form. Others follow by name. */
const GROUP_ORDER: readonly string[] = [
  'apiregistration',
  'apps',
  'events',
  'authentication',
  'authorization',
  'autoscaling',
  'batch',
  'certificates',
  'networking',
  'policy',
  'rbac',
  'storage',
  'admissionregistration',
  'apiextensions',
  'scheduling',
  'coordination',
  'node',
  'discovery',
  'flowcontrol',
];

/** Where the usual order of versions does not hold. */
const VERSION_ORDER: Readonly<Record<string, readonly string[]>> = { autoscaling: ['v2', 'v1', 'v2beta1', 'v2beta2'] };

/** Every group that is served, the core group (`''`) included. */
export function servedGroups(catalog: Catalog): readonly ServedGroup[] {
  const versions = new Map<string, Set<string>>();
  for (const resource of catalog.resources) {
    const known = versions.get(resource.group) ?? new Set();
    for (const { version } of resource.versions) known.add(version);
    versions.set(resource.group, known);
  }
  const rank = groupRanks(catalog.brand);
  return [...versions]
    .sort(([a], [b]) => (rank.get(a) ?? GROUP_ORDER.length) - (rank.get(b) ?? GROUP_ORDER.length) || (a < b ? -1 : 1))
    .map(([name, known]) => ({ name, versions: orderVersions(name, [...known]) }));
}

const groupRanks = (brand: Brand): ReadonlyMap<string, number> => new Map(GROUP_ORDER.map((neutral, position) => [brand.group(neutral), position]));

function orderVersions(group: string, versions: readonly string[]): readonly string[] {
  const order = Object.hasOwn(VERSION_ORDER, group) ? VERSION_ORDER[group] : undefined;
  if (order === undefined) return versions.toSorted(byMaturity);
  return versions.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
}

const FORM = /^v([1-9][0-9]{0,8})(?:(alpha|beta)([1-9][0-9]{0,8}))?$/;
const MATURITY: Readonly<Record<string, number>> = { alpha: 1, beta: 2 };

/** Stable before beta before alpha, newer before older; what is not a version of this form comes last, by name. */
function byMaturity(a: string, b: string): number {
  const x = FORM.exec(a);
  const y = FORM.exec(b);
  if (x === null || y === null) return Number(x === null) - Number(y === null) || (a < b ? -1 : 1);
  const maturity = (parts: RegExpExecArray): number => (parts[2] === undefined ? 3 : (MATURITY[parts[2]] ?? 0));
  return maturity(y) - maturity(x) || Number(y[1]) - Number(x[1]) || Number(y[3] ?? 0) - Number(x[3] ?? 0);
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
export function groupListDocument(groups: readonly ServedGroup[]): { kind: string; apiVersion: string } {
  return { kind: 'APIGroupList', apiVersion: 'v1', ...{ groups: groups.filter(({ name }) => name !== '').map(describeGroup) } };
}

/** `/apis/<group>`. */
export function groupDocument(group: ServedGroup): { kind: string; apiVersion: string } {
  return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group) };
}

/** `/api`. Its `apiVersion` is empty, and left out of its text forms. `serverAddress` is host and port. */
export function coreVersionsDocument(groups: readonly ServedGroup[], serverAddress: string): object {
  const versions = groups.find(({ name }) => name === '')?.versions ?? [];
  return { kind: 'APIVersions', versions, serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }] };
}
