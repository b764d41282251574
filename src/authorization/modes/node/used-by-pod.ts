import type { ApiObject, Brand } from '#api';
import { containersOf } from '#kinds';

/** An object that the node of a pod may read, as `<resource>/<namespace>/<name>`. */
export type Reference = string;

export const referenceTo = (resource: string, namespace: string, name: string): Reference => `${resource}/${namespace}/${name}`;

interface Named {
  readonly name?: string;
}

/** The fields by which volumes refer to objects, whatever the type of storage. */
type Volume = Readonly<Record<string, unknown>> & {
  readonly name?: string;
  readonly secret?: { readonly secretName?: string };
  readonly configMap?: Named;
  readonly persistentVolumeClaim?: { readonly claimName?: string };
  readonly ephemeral?: object;
  readonly projected?: { readonly sources?: readonly { readonly secret?: Named; readonly configMap?: Named }[] | null };
  readonly azureFile?: { readonly secretName?: string };
  readonly csi?: { readonly nodePublishSecretRef?: Named };
};

interface Source {
  readonly secretRef?: Named;
  readonly configMapRef?: Named;
  readonly secretKeyRef?: Named;
  readonly configMapKeyRef?: Named;
}

interface Container {
  readonly env?: readonly { readonly valueFrom?: Source | null }[] | null;
  readonly envFrom?: readonly Source[] | null;
}

type Pod = ApiObject & {
  readonly spec?: {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
    readonly imagePullSecrets?: readonly Named[] | null;
    readonly volumes?: readonly Volume[] | null;
    readonly containers?: readonly Container[] | null;
    readonly initContainers?: readonly Container[] | null;
    readonly ephemeralContainers?: readonly Container[] | null;
  };
};

/** The node that a pod is bound to; empty: none yet. */
export const nodeOf = (pod: ApiObject): string => (pod as Pod).spec?.nodeName ?? '';

/** All objects that a pod uses. A mirror pod uses none: it only represents a static pod of the node. @spec 5.1 */
export function usedByPod(pod: ApiObject, { names }: Brand): ReadonlySet<Reference> {
  const { namespace = '', annotations } = pod.metadata;
  const { spec } = pod as Pod;
  if (spec === undefined || Object.hasOwn(annotations ?? {}, names.mirrorPodAnnotation)) return new Set();
  const volumes = spec.volumes ?? [];
  const sources = containersOf(spec).flatMap(sourcesOf);
  const used: Readonly<Record<string, readonly (string | undefined)[]>> = {
    serviceaccounts: [spec.serviceAccountName],
    secrets: [
      ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
      ...sources.flatMap(({ secretRef, secretKeyRef }) => [secretRef?.name, secretKeyRef?.name]),
      ...volumes.flatMap(secretsOfVolume),
    ],
    configmaps: [
      ...sources.flatMap(({ configMapRef, configMapKeyRef }) => [configMapRef?.name, configMapKeyRef?.name]),
      ...volumes.flatMap(({ configMap, projected }) => [configMap?.name, ...(projected?.sources ?? []).map((one) => one.configMap?.name)]),
    ],
    persistentvolumeclaims: volumes.map((volume) => claimOf(volume, pod.metadata.name ?? '')),
  };
  return new Set(
    Object.entries(used).flatMap(([resource, all]) => all.flatMap((name) => (name ? [referenceTo(resource, namespace, name)] : []))),
  );
}

const sourcesOf = ({ env, envFrom }: Container): readonly Source[] => [...(env ?? []).map(({ valueFrom }) => valueFrom ?? {}), ...(envFrom ?? [])];

function secretsOfVolume(volume: Volume): readonly (string | undefined)[] {
  const { secret, projected, azureFile, csi } = volume;
  return [
    secret?.secretName,
    azureFile?.secretName,
    csi?.nodePublishSecretRef?.name,
    ...(projected?.sources ?? []).map((one) => one.secret?.name),
    ...Object.values(volume).map((source) => (source as Source | null | undefined)?.secretRef?.name),
  ];
}

/** The claim of a volume. That of an ephemeral volume is named after pod and volume. */
const claimOf = ({ name, persistentVolumeClaim, ephemeral }: Volume, pod: string): string | undefined =>
  ephemeral === undefined || ephemeral === null ? persistentVolumeClaim?.claimName : `${pod}-${name ?? ''}`;
