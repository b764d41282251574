/** A schema object of OpenAPI v2, as far as the API uses it. */
export interface OpenapiSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenapiSchema>>;
  readonly items?: OpenapiSchema;
  readonly additionalProperties?: OpenapiSchema | boolean;
  readonly enum?: readonly unknown[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-unions'?: readonly object[];
  readonly 'x-kubernetes-group-version-kind'?: readonly { readonly group: string; readonly kind: string; readonly version: string }[];
}
