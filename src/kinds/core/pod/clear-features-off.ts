import type { Probe } from './probe.ts';
import type { PodSpec } from './pod-spec.ts';

/** Removes what belongs to features that are off in this version of the API. Changes the spec; run before validation. */
export function clearFeaturesOff(spec: PodSpec): void {
  delete spec.os;
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const container of spec[list] ?? []) {
      clearGrace(container.livenessProbe);
      clearGrace(container.startupProbe);
      if (container.securityContext?.procMount !== undefined) container.securityContext.procMount = 'Default';
    }
  }
}

/** A grace period on a readiness probe is wrong with or without the feature, so that it stays for validation to refuse. */
function clearGrace(probe: Probe | undefined): void {
  delete probe?.terminationGracePeriodSeconds;
}
