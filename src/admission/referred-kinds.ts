import { isJsonObject } from '#base';
import { containersOf, type Pod } from '#kinds';

/** The kinds of objects that a pod can reference for its containers and volumes. */
export type ReferredKind = 'secret' | 'configMap' | 'claim';

/** Fields that reference an object, anywhere in volumes, environment variables and image pull secrets. */
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

/** The kinds of objects that a pod references, those of ephemeral containers and of all types of volumes included. */
export function referredKinds(spec: Pod['spec']): ReadonlySet<ReferredKind> {
  const variables = containersOf(spec).flatMap(({ env, envFrom }) => [env, envFrom]);
  return new Set(kindsIn([spec.volumes, variables, { imagePullSecrets: spec.imagePullSecrets }]));
}

function kindsIn(value: unknown): readonly ReferredKind[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inside]) => {
    const kind = REFERENCES.get(member);
    return [...(kind !== undefined && isNamed(inside) ? [kind] : []), ...kindsIn(inside)];
  });
}

/** A reference without a name refers to nothing. */
function isNamed(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isNamed);
  if (isJsonObject(value)) return ['name', 'secretName', 'claimName'].some((member) => isNamed(value[member]));
  return typeof value === 'string' && value !== '';
}
