import { isDeepEqual } from '#base';
import { differenceText, goQuoted, type FieldErrors } from '#errors';
import type { PodSpec } from './pod-spec.ts';

/** Checks that existing ephemeral containers are neither changed nor removed. `at`: the path of the list. */
export function validateDebugContainersKept({ ephemeralContainers: containers = [] }: PodSpec, live: PodSpec, at: FieldErrors): void {
  // Of several with one name the last is compared, as in kube-apiserver.
  const byName = new Map(containers.map((one) => [one.name, one]));
  for (const old of live.ephemeralContainers ?? []) {
    const found = byName.get(old.name);
    if (found === undefined) at.forbidden(`existing ephemeral containers ${goQuoted(old.name)} may not be removed\n`);
    else if (!isDeepEqual(found, old)) at.forbidden(`existing ephemeral containers ${goQuoted(old.name)} may not be changed${differenceText(found, old)}`);
  }
}
