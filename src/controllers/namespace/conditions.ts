import { formatTime } from '#schema';
import type { DiscoveryFailure } from '#client';
import type { Namespace } from '#kinds';
import type { Remains } from './remains.ts';

/** Why the objects of a resource could not be deleted. */
export interface DeletionFailure {
  readonly resource: string;
  readonly why: string;
}

/** What one round of deletion found. */
export interface Findings {
  readonly undiscovered: readonly DiscoveryFailure[];
  readonly failures: readonly DeletionFailure[];
  readonly remains: readonly Remains[];
}

type Condition = NonNullable<Namespace['status']['conditions']>[number];

interface Row {
  readonly type: string;
  readonly fine: readonly [reason: string, message: string];
  /** The reason and message of the condition; undefined: nothing is wrong. */
  readonly wrong: (findings: Findings) => readonly [reason: string, message: string] | undefined;
}

/** Clients show these texts, and tests of other projects compare them. */
const CONDITIONS: readonly Row[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    fine: ['ResourcesDiscovered', 'All resources successfully discovered'],
    wrong({ undiscovered }) {
      if (undiscovered.length === 0) return undefined;
      const each = undiscovered.map(({ apiVersion, cause }) => `${apiVersion}: ${cause.message}`).join(', ');
      const all = `unable to retrieve the complete list of server APIs: ${each}`;
      return ['DiscoveryFailed', `Discovery failed for some groups, ${undiscovered.length} failing: ${all}`];
    },
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    fine: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    // Group versions come parsed from discovery, so that this cannot fail.
    wrong: () => undefined,
  },
  {
    type: 'NamespaceDeletionContentFailure',
    fine: ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    wrong({ failures }) {
      if (failures.length === 0) return undefined;
      return ['ContentDeletionFailed', `Failed to delete all resource types, ${failures.length} remaining: ${failures.map(({ why }) => why).sort().join(', ')}`];
    },
  },
  {
    type: 'NamespaceContentRemaining',
    fine: ['ContentRemoved', 'All content successfully removed'],
    wrong({ remains }) {
      if (remains.length === 0) return undefined;
      const each = remains.map(({ resource: { plural, group }, count }) => `${plural}.${group} has ${count} resource instances`);
      return ['SomeResourcesRemain', `Some resources are remaining: ${each.sort().join(', ')}`];
    },
  },
  {
    type: 'NamespaceFinalizersRemaining',
    fine: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    wrong({ remains }) {
      const counts = countFinalizers(remains);
      if (counts.size === 0) return undefined;
      const each = [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
      return ['SomeFinalizersRemain', `Some content in the namespace has finalizers remaining: ${each.sort().join(', ')}`];
    },
  },
];

function countFinalizers(remains: readonly Remains[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { finalizers } of remains) for (const [name, count] of finalizers) counts.set(name, (counts.get(name) ?? 0) + count);
  return counts;
}

/** The conditions of a namespace after a round; undefined when they do not change. */
export function nextConditions(live: readonly Condition[], findings: Findings, nowMs: number): Condition[] | undefined {
  const next = [...live];
  let isChanged = false;
  for (const { type, fine, wrong } of CONDITIONS) {
    const fault = wrong(findings);
    const [reason, message] = fault ?? fine;
    const status = fault === undefined ? 'False' : 'True';
    const at = next.findIndex((condition) => condition.type === type);
    const before = next[at];
    if (before?.status === status && before.reason === reason && before.message === message) continue;
    isChanged = true;
    const since = before?.status === status ? before.lastTransitionTime : undefined;
    const condition: Condition = { type, status, lastTransitionTime: since ?? formatTime(nowMs), reason, message };
    if (at < 0) next.push(condition);
    else next[at] = condition;
  }
  return isChanged ? next : undefined;
}
