import type { ApiObject } from '#api';

/** The fields of service accounts and pods that this plugin uses. */
export interface Named {
  readonly name?: string;
}

export interface Account extends ApiObject {
  readonly secrets?: readonly Named[] | null;
  readonly imagePullSecrets?: readonly Named[] | null;
  readonly automountServiceAccountToken?: boolean;
}

export interface Volume {
  readonly name: string;
  readonly secret?: { readonly secretName?: string };
  readonly projected?: { readonly sources?: readonly { readonly secret?: object; readonly serviceAccountToken?: object }[] | null };
}

export interface Container {
  readonly env?: readonly { readonly name: string; readonly valueFrom?: { readonly secretKeyRef?: Named } }[] | null;
  readonly envFrom?: readonly { readonly secretRef?: Named }[] | null;
  readonly name: string;
  volumeMounts?: object[] | null;
}

export type Pod = ApiObject & {
  readonly spec: {
    serviceAccountName?: string;
    serviceAccount?: string;
    automountServiceAccountToken?: boolean;
    imagePullSecrets?: readonly Named[] | null;
    volumes?: Volume[] | null;
    readonly containers?: Container[] | null;
    readonly initContainers?: Container[] | null;
    readonly ephemeralContainers?: Container[] | null;
  };
};
