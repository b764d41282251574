import { CONTAINER_LISTS } from './every-container.ts';
import type { Probe } from './probe.ts';
import type { PodSpec } from './pod-spec.ts';

/** Removes fields of features that are off in 1.23. Changes the spec; runs before validation. */
export function clearFeaturesOff(spec: PodSpec): void {
  delete spec.os;
  for (const list of CONTAINER_LISTS) {
    for (const container of spec[list] ?? []) {
      clearGrace(container.livenessProbe);
      clearGrace(container.startupProbe);
      if (container.securityContext?.procMount !== undefined) container.securityContext.procMount = 'Default';
    }
  }
}

/** Not called for readiness probes: there a grace period is invalid with or without the feature, and validation refuses it. */
function clearGrace(probe: Probe | undefined): void {
  delete probe?.terminationGracePeriodSeconds;
}
