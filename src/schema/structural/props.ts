/** A JSON schema as a custom resource declares it (OpenAPI v3, the part of it that the API takes), in plain JSON. */
export interface SchemaProps {
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly multipleOf?: number;
  readonly maxLength?: number | bigint;
  readonly minLength?: number | bigint;
  readonly pattern?: string;
  readonly maxItems?: number | bigint;
  readonly minItems?: number | bigint;
  readonly uniqueItems?: boolean;
  readonly maxProperties?: number | bigint;
  readonly minProperties?: number | bigint;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly items?: SchemaProps | readonly SchemaProps[];
  readonly allOf?: readonly SchemaProps[];
  readonly oneOf?: readonly SchemaProps[];
  readonly anyOf?: readonly SchemaProps[];
  readonly not?: SchemaProps;
  readonly properties?: Readonly<Record<string, SchemaProps>>;
  readonly additionalProperties?: SchemaProps | boolean;
  readonly externalDocs?: object;
  readonly example?: unknown;
  readonly nullable?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-map-type'?: string;
}

/** Whether the member holds one schema, and not a list of them or a yes or no. */
export const isSchema = (value: SchemaProps['items'] | SchemaProps['additionalProperties']): value is SchemaProps => typeof value === 'object' && !Array.isArray(value);

/** The types that there are. */
export const VALUE_TYPES: readonly string[] = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
