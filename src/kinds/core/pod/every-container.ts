import type { FieldErrors } from '#errors';
import type { Container } from './container.ts';
import type { PodSpec } from './pod-spec.ts';

type Visit = (container: Container, at: FieldErrors) => void;

/** The lists of containers that a pod has, in the order in which they are gone through. */
export const CONTAINER_LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

type Lists<C> = { readonly [list in (typeof CONTAINER_LISTS)[number]]?: readonly C[] | null };

/** All containers of a pod: init containers first, ephemeral ones last. */
export const containersOf = <C>({ initContainers, containers, ephemeralContainers }: Lists<C>): readonly C[] => [
  // One by one, which is ten times as fast as by the list above: admission asks a dozen times of each pod.
  ...(initContainers ?? []),
  ...(containers ?? []),
  ...(ephemeralContainers ?? []),
];

/** Calls `visit` with every container of all three lists and its path. `at`: the path of the spec. */
export function everyContainer(spec: PodSpec, at: FieldErrors, visit: Visit): void {
  for (const list of CONTAINER_LISTS) {
    for (const [position, container] of (spec[list] ?? []).entries()) visit(container, at.child(list).index(position));
  }
}
