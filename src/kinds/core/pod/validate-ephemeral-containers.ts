import type { FieldErrors } from '#errors';
import type { Container } from './container.ts';
import type { EphemeralContainer } from './ephemeral-container.ts';
import type { PodRules } from './pod-rules.ts';
import { validateContainers, validateImageSpaces } from './validate-container.ts';
import type { Volumes } from './validate-mounts.ts';

/** Fields that ephemeral containers must not have, beside ports and resources. */
const FORBIDDEN = ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'] as const;
const WHY = 'cannot be set for an Ephemeral Container';

export function validateEphemeralContainers(
  containers: readonly EphemeralContainer[],
  others: readonly Container[],
  volumes: Volumes,
  at: FieldErrors,
  rules: PodRules,
): void {
  const names = new Set(others.map(({ name }) => name));
  for (const [position, container] of containers.entries()) {
    const here = at.index(position);
    const target = container.targetContainerName;
    if (target && !names.has(target)) here.child('targetContainerName').notFound(target);
    if (!container.name) {
      here.required('ephemeralContainer requires a name');
      continue;
    }
    // Validated as a list of one: paths have a second index, as in kube-apiserver.
    validateContainers([container], volumes, here, rules);
    validateImageSpaces([container], here);
    if (names.has(container.name)) here.child('name').duplicate(container.name);
    names.add(container.name);
    validateForbidden(container, here);
  }
}

function validateForbidden(container: EphemeralContainer, at: FieldErrors): void {
  if (container.ports !== undefined) at.child('ports').forbidden(WHY);
  if (container.resources.limits !== undefined || container.resources.requests !== undefined) at.child('resources').forbidden(WHY);
  for (const member of FORBIDDEN) if (container[member] !== undefined) at.child(member).forbidden(WHY);
  for (const [position, { subPath, subPathExpr }] of (container.volumeMounts ?? []).entries()) {
    const here = at.child('volumeMounts').index(position);
    if (subPath) here.child('subPath').forbidden(WHY);
    if (subPathExpr) here.child('subPathExpr').forbidden(WHY);
  }
}
