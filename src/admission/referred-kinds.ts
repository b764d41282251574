import { isJsonObject } from '#base';
import type { Pod } from '#kinds';

/** What a pod can name for its containers and its disks. */
export type ReferredKind = 'secret' | 'configMap' | 'claim';

/** Members that name an object, wherever in a volume, a variable or an image secret they stand. */
const REFERENCES: ReadonlyMap<string, ReferredKind> = new Map([
  ['secret', 'secret'],
  ['secretRef', 'secret'],
  ['secretKeyRef', 'secret'],
  ['nodePublishSecretRef', 'secret'],
  ['secretName', 'secret'],
  ['imagePullSecrets', 'secret'],
  ['configMap', 'configMap'],
  ['configMapRef', 'configMap'],
  ['configMapKeyRef', 'configMap'],
  ['persistentVolumeClaim', 'claim'],
]);

/** The kinds of objects that a pod names: also by containers for debugging, and whatever kind of storage its volumes are. */
export function referredKinds({ volumes, containers, initContainers, ephemeralContainers, imagePullSecrets }: Pod['spec']): ReadonlySet<ReferredKind> {
  const variables = [...(containers ?? []), ...(initContainers ?? []), ...(ephemeralContainers ?? [])].flatMap(({ env, envFrom }) => [env, envFrom]);
  return new Set(kindsIn([volumes, variables, { imagePullSecrets }]));
}

function kindsIn(value: unknown): readonly ReferredKind[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inside]) => {
    const kind = REFERENCES.get(member);
    return [...(kind !== undefined && isNamed(inside) ? [kind] : []), ...kindsIn(inside)];
  });
}

/** Who names nothing refers to nothing. */
function isNamed(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isNamed);
  if (isJsonObject(value)) return ['name', 'secretName', 'claimName'].some((member) => isNamed(value[member]));
  return typeof value === 'string' && value !== '';
}
