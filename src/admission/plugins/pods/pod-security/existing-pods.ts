import { isTurnLong, nextTurn, steady } from '#base';
import type { ApiObject } from '#api';
import type { AdmissionEnv } from '../../../plugin.ts';
import type { Config } from './config.ts';
import { inShort, violationsOf } from './evaluate.ts';
import { formatStandard, type Standard } from './level.ts';
import { podIn } from './pod-like.ts';

const MAX_PODS = 3_000;
const MAX_MS = 1_000;

/**
 * The warnings for a namespace whose new `enforce` standard is violated by existing pods; those of exempt runtime classes do not count. Checks at most
 * 3,000 pods, leaves turns of the event loop to others meanwhile, and stops after a second. Of pods that violate the same, the first by name is told.
 * Pods that cannot be read do not keep a namespace from asking more: a warning says so.
 */
export async function warnOfExisting(env: AdmissionEnv, config: Config, namespace: string, standard: Standard, signal: AbortSignal): Promise<readonly string[]> {
  const listed = await env.objects.list({ group: '', kind: 'Pod' }, namespace).catch(() => undefined);
  if (listed === undefined) return ['failed to list pods while checking new PodSecurity enforce level'];
  const all = listed.flatMap((object) => {
    const pod = podIn(object, '/pods');
    return pod === undefined || config.runtimeClasses.has(pod.spec.runtimeClassName ?? '') ? [] : [{ metadata: object.metadata, pod }];
  });
  const clock = steady(env.clock);
  const untilMs = clock.nowMs() + MAX_MS;
  const found = new Map<string, { first: string; count: number }>();
  let checked = 0;
  for (const { metadata: { name = '' }, pod } of oneOfEachFirst(all).slice(0, MAX_PODS)) {
    if (isTurnLong()) await nextTurn(signal);
    if (checked > 0 && (clock.nowMs() > untilMs || signal.aborted)) break;
    checked++;
    const violations = violationsOf(standard, pod, env.brand);
    if (violations.length === 0) continue;
    const why = inShort(violations);
    const same = found.get(why);
    if (same === undefined) {
      found.set(why, { first: name, count: 1 });
      continue;
    }
    same.count++;
    if (name < same.first) same.first = name;
  }
  return [
    ...(checked < all.length ? [`new PodSecurity enforce level only checked against the first ${checked} of ${all.length} existing pods`] : []),
    ...(found.size > 0 ? [`existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level "${formatStandard(standard)}"`] : []),
    ...[...found].map(([why, { first, count }]) => `${first}${others(count - 1)}: ${why}`).sort(),
  ];
}

const others = (count: number): string => (count === 0 ? '' : ` (and ${count} other pod${count === 1 ? '' : 's'})`);

/** All pods, the first one of each controller before the others: pods of one controller are alike, so these reveal most within the limits. */
function oneOfEachFirst<T extends Pick<ApiObject, 'metadata'>>(pods: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  const alike: T[] = [];
  const first = pods.filter((pod) => {
    const owner = (pod.metadata.ownerReferences ?? []).find(({ controller }) => controller === true)?.uid;
    if (owner === undefined || !seen.has(owner)) {
      if (owner !== undefined) seen.add(owner);
      return true;
    }
    alike.push(pod);
    return false;
  });
  return [...first, ...alike];
}
