import type { LimitRange, Pod } from '#kinds';

type Container = NonNullable<Pod['spec']['containers']>[number];
type Amounts = Record<string, string>;

/** Sets the default limits and requests that containers do not name, and lists them in an annotation. Changes the pod. */
export function fillPod(pod: Pod, { spec }: LimitRange, annotation: string): void {
  const limits: Amounts = {};
  const requests: Amounts = {};
  for (const { type, default: limit, defaultRequest } of spec.limits ?? []) {
    if (type !== 'Container') continue;
    Object.assign(requests, defaultRequest);
    Object.assign(limits, limit);
  }
  const filled = [
    ...(pod.spec.containers ?? []).flatMap((container) => fill(container, 'container', { limits, requests })),
    ...(pod.spec.initContainers ?? []).flatMap((container) => fill(container, 'init container', { limits, requests })),
  ];
  if (filled.length === 0) return;
  pod.metadata.annotations = { ...pod.metadata.annotations, [annotation]: `LimitRanger plugin set: ${filled.join('; ')}` };
}

/** Sets defaults of one container. Returns descriptions of what was set. */
function fill({ name, resources }: Container, what: string, defaults: { readonly limits: Amounts; readonly requests: Amounts }): readonly string[] {
  return (['requests', 'limits'] as const).flatMap((part) => {
    const said = resources[part] ?? {};
    const added = Object.entries(defaults[part]).filter(([resource]) => !Object.hasOwn(said, resource));
    if (added.length === 0) return [];
    resources[part] = { ...said, ...Object.fromEntries(added) };
    const names = added.map(([resource]) => resource).sort();
    return [`${names.join(', ')} ${part === 'requests' ? 'request' : 'limit'} for ${what} ${name}`];
  });
}
