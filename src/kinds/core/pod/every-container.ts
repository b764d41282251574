import type { FieldErrors } from '#errors';
import type { Container } from './container.ts';
import type { PodSpec } from './pod-spec.ts';

type Visit = (container: Container, at: FieldErrors) => void;

/** Calls `visit` for every container of a pod, of all three lists, with its place. `at` is the place of the spec. */
export function everyContainer(spec: PodSpec, at: FieldErrors, visit: Visit): void {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const [position, container] of (spec[list] ?? []).entries()) visit(container, at.child(list).index(position));
  }
}
