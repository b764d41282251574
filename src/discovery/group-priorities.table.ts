import type { Brand } from '#api';

/** The priority of a version in its group, and of its group among all. Higher numbers come first. */
export interface Priorities {
  readonly groupPriority: number;
  readonly versionPriority: number;
}

/** Groups in neutral form, in order of preference; versions that are not listed have the default priority. */
const GROUPS: readonly (readonly [group: string, priority: number, versions?: Readonly<Record<string, number>>])[] = [
  // Higher than any priority an APIService may have.
  ['apiregistration', 20_001],
  ['', 18_000, { v1: 1 }],
  ['apps', 17_800],
  ['events', 17_750, { v1beta1: 5 }],
  ['authentication', 17_700],
  ['authorization', 17_600],
  ['autoscaling', 17_500, { v2: 30, v2beta2: 1 }],
  ['batch', 17_400],
  ['certificates', 17_300],
  ['networking', 17_200],
  ['policy', 17_100],
  ['rbac', 17_000],
  ['storage', 16_800],
  ['admissionregistration', 16_700],
  ['apiextensions', 16_700],
  ['scheduling', 16_600],
  ['coordination', 16_500],
  ['node', 16_300],
  ['discovery', 16_200, { v1beta1: 12 }],
  ['flowcontrol', 16_100, { v1beta2: 15, v1beta1: 12 }],
];
const VERSIONS: Readonly<Record<string, number>> = { v1: 15, v1beta1: 9, v2beta1: 9 };
const OTHER_VERSION = 1;
/** All other groups: those of custom resources. */
const OTHERS: Priorities = { groupPriority: 1000, versionPriority: 100 };

type PrioritiesOf = (group: string, version: string) => Priorities;

/** The priorities of groups as they are spelled on the wire. */
export function prioritiesIn(brand: Brand): PrioritiesOf {
  const rows = new Map(GROUPS.map(([neutral, groupPriority, versions = {}]) => [brand.group(neutral), { groupPriority, versions }]));
  return (group, version) => {
    const row = rows.get(group);
    if (row === undefined) return OTHERS;
    const all: Readonly<Record<string, number>> = { ...VERSIONS, ...row.versions };
    return { groupPriority: row.groupPriority, versionPriority: Object.hasOwn(all, version) ? (all[version] ?? OTHER_VERSION) : OTHER_VERSION };
  };
}
