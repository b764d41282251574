import { containersOf } from './every-container.ts';
import type { Container } from './container.ts';
import type { Probe } from './probe.ts';
import type { PodSpec } from './pod-spec.ts';

/**
 * Removes fields of features that are off in 1.23, each unless the stored spec uses it: that may come from a cluster where the feature is on. Changes
 * the spec; runs before validation.
 */
export function clearFeaturesOff(spec: PodSpec, live?: PodSpec): void {
  const [next, before] = [containersOf<Confined>(spec), live === undefined ? [] : containersOf<Confined>(live)];
  if (live?.os === undefined) delete spec.os;
  if (!before.some((container) => restartingProbesOf(container).some(hasGrace))) {
    for (const probe of next.flatMap(restartingProbesOf)) delete probe.terminationGracePeriodSeconds;
  }
  if (!before.some(({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default')) {
    for (const { securityContext } of next) if (securityContext?.procMount !== undefined) securityContext.procMount = 'Default';
  }
}

type Confined = Pick<Container, 'livenessProbe' | 'startupProbe' | 'securityContext'>;

/** Without the readiness probe: there a grace period is invalid with or without the feature, and validation refuses it. */
const restartingProbesOf = ({ livenessProbe, startupProbe }: Confined): readonly Probe[] => [livenessProbe, startupProbe].filter((probe) => probe !== undefined);

const hasGrace = ({ terminationGracePeriodSeconds }: Probe): boolean => terminationGracePeriodSeconds !== undefined;
