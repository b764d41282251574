import { isDeepEqual } from '#base';
import { goQuoted, type FieldErrors } from '#errors';
import type { PodSpec } from './pod-spec.ts';

/** What was added to a pod for debugging stays as it is. `at` is the place of the list. */
export function validateDebugContainersKept({ ephemeralContainers: containers = [] }: PodSpec, live: PodSpec, at: FieldErrors): void {
  for (const old of live.ephemeralContainers ?? []) {
    const found = containers.find(({ name }) => name === old.name);
    if (found === undefined) at.forbidden(`existing ephemeral containers ${goQuoted(old.name)} may not be removed\n`);
    else if (!isDeepEqual(found, old)) at.forbidden(`existing ephemeral containers ${goQuoted(old.name)} may not be changed`);
  }
}
