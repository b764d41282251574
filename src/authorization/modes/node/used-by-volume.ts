import type { ApiObject } from '#api';
import { referenceTo, type Reference } from './used-by-pod.ts';

interface SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}

type Volume = ApiObject & {
  readonly spec?: Readonly<Record<string, unknown>> & {
    readonly claimRef?: { readonly namespace?: string; readonly name?: string } | null;
    readonly azureFile?: { readonly secretName?: string; readonly secretNamespace?: string | null };
    readonly csi?: { readonly nodePublishSecretRef?: SecretReference; readonly nodeStageSecretRef?: SecretReference };
  };
};

/** The claim that a volume is bound to, and the secrets that a node needs to mount it, without those that only controllers need. */
export interface VolumeUse {
  readonly claim: Reference;
  readonly secrets: readonly Reference[];
}

/** What a node needs to use a volume. undefined: the volume has no claim. @spec 5.1 */
export function usedByVolume(volume: ApiObject): VolumeUse | undefined {
  const { spec } = volume as Volume;
  const { name, namespace = '' } = spec?.claimRef ?? {};
  if (spec === undefined || !name) return undefined;
  const { azureFile, csi } = spec;
  const named: readonly (SecretReference | undefined)[] = [
    azureFile?.secretName ? { name: azureFile.secretName, namespace: azureFile.secretNamespace ?? '' } : undefined,
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    ...Object.values(spec).map((source) => (source as { readonly secretRef?: SecretReference } | null | undefined)?.secretRef),
  ];
  return {
    claim: referenceTo('persistentvolumeclaims', namespace, name),
    secrets: named.flatMap((one) => (one?.name ? [referenceTo('secrets', one.namespace || namespace, one.name)] : [])),
  };
}
