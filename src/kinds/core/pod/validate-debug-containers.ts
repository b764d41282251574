import { isDeepEqual } from '#base';
import { FieldErrors } from '#errors';
import { validateVolumes } from '../volume/validate-volumes.ts';
import type { PodRules } from './pod-rules.ts';
import type { PodSpec } from './pod-spec.ts';
import { validateEphemeralContainers } from './validate-ephemeral-containers.ts';

/** What the `ephemeralcontainers` subresource may do: add. `at` is the place of the list, `podName` the name of the pod. */
export function validateDebugContainers(next: PodSpec, live: PodSpec, podName: string, at: FieldErrors, rules: PodRules): void {
  const containers = next.ephemeralContainers ?? [];
  const others = [...(next.containers ?? []), ...(next.initContainers ?? [])];
  // Volumes do not change here: what is wrong with them is nobody's fault now.
  const volumes = validateVolumes(next.volumes ?? [], podName, new FieldErrors(), rules);
  validateEphemeralContainers(containers, others, volumes, at, rules);
  for (const old of live.ephemeralContainers ?? []) {
    const found = containers.find(({ name }) => name === old.name);
    if (found === undefined) at.forbidden(`the container ${JSON.stringify(old.name)} is there already and may not be removed`);
    else if (!isDeepEqual(found, old)) at.forbidden(`the container ${JSON.stringify(old.name)} is there already and may not be changed`);
  }
}
