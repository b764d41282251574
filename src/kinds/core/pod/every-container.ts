import type { FieldErrors } from '#errors';
import type { Container } from './container.ts';
import type { PodSpec } from './pod-spec.ts';

type Visit = (container: Container, at: FieldErrors) => void;

/** Calls `visit` with every container of all three lists and its path. `at`: the path of the spec. */
export function everyContainer(spec: PodSpec, at: FieldErrors, visit: Visit): void {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const [position, container] of (spec[list] ?? []).entries()) visit(container, at.child(list).index(position));
  }
}
