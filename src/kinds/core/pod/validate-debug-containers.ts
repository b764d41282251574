import { isDeepEqual } from '#base';
import type { FieldErrors } from '#errors';
import type { PodSpec } from './pod-spec.ts';

/** What was added to a pod for debugging stays as it is. `at` is the place of the list. */
export function validateDebugContainersKept({ ephemeralContainers: containers = [] }: PodSpec, live: PodSpec, at: FieldErrors): void {
  for (const old of live.ephemeralContainers ?? []) {
    const found = containers.find(({ name }) => name === old.name);
    if (found === undefined) at.forbidden(`the container ${JSON.stringify(old.name)} is there already and may not be removed`);
    else if (!isDeepEqual(found, old)) at.forbidden(`the container ${JSON.stringify(old.name)} is there already and may not be changed`);
  }
}
