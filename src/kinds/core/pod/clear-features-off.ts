import type { Probe } from './probe.ts';
import type { PodSpec } from './pod-spec.ts';

/** Removes what belongs to features that are off in this version of the API. Changes the spec; run before validation. */
export function clearFeaturesOff(spec: PodSpec): void {
  delete spec.os;
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const container of spec[list] ?? []) {
      clearProbe(container.livenessProbe, true);
      clearProbe(container.startupProbe, true);
      clearProbe(container.readinessProbe, false);
      if (container.securityContext?.procMount !== undefined) container.securityContext.procMount = 'Default';
    }
  }
}

/** A grace period on a readiness probe is wrong with or without the feature, so that it stays for validation to refuse. */
function clearProbe(probe: Probe | undefined, mayHaveGrace: boolean): void {
  if (probe === undefined) return;
  delete probe.grpc;
  if (mayHaveGrace) delete probe.terminationGracePeriodSeconds;
}
