import type { ObjectMeta } from './object-meta.ts';

/** Any object of the API, as plain JSON in normal form. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

/** Which object. `namespace` is empty for cluster-scoped kinds. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}
