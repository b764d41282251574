import { isSchema, type SchemaProps } from './props.ts';

/**
 * A structural schema (of a custom resource), compiled for walking values: what is at each place, apart from rules that only validate. Properties are
 * in maps, so that `__proto__` and the like are ordinary names.
 */
export interface Structural {
  /** The declaration, for validation. */
  readonly props: SchemaProps;
  readonly properties: ReadonlyMap<string, Structural>;
  /** Schema of undeclared properties: `'any'` accepts them without a schema of their own; undefined: there are none. */
  readonly additional: Structural | 'any' | undefined;
  readonly items: Structural | undefined;
  /** The default; undefined: none. */
  readonly fallback: unknown;
  readonly isNullable: boolean;
  readonly preservesUnknown: boolean;
  /** It or an enclosing schema preserves unknown fields: undeclared fields may be applied and owned, even where they are pruned. */
  readonly isWithinUnknown: boolean;
  /** The value is an embedded API object with metadata of its own. */
  readonly isEmbedded: boolean;
}

/** Compiles a declaration. Its depth is bounded when it is decoded. `keepsUnknown`: unknown fields and nulls are preserved everywhere, whatever it declares. */
export function createStructural(props: SchemaProps, { keepsUnknown = false }: { readonly keepsUnknown?: boolean } = {}): Structural {
  return createPart(props, keepsUnknown, false);
}

function createPart(props: SchemaProps, keepsUnknown: boolean, isInUnknown: boolean): Structural {
  const { items, additionalProperties } = props;
  const preservesUnknown = keepsUnknown || (props['x-kubernetes-preserve-unknown-fields'] ?? false);
  const isWithinUnknown = preservesUnknown || isInUnknown;
  const partOf = (part: SchemaProps): Structural => createPart(part, keepsUnknown, isWithinUnknown);
  return {
    props,
    properties: new Map(Object.entries(props.properties ?? {}).map(([name, member]) => [name, partOf(member)])),
    additional: typeof additionalProperties === 'object' ? partOf(additionalProperties) : additionalProperties === undefined || keepsUnknown ? undefined : 'any',
    items: isSchema(items) ? partOf(items) : undefined,
    fallback: props.default ?? undefined,
    isNullable: keepsUnknown || (props.nullable ?? false),
    preservesUnknown,
    isWithinUnknown,
    isEmbedded: props['x-kubernetes-embedded-resource'] ?? false,
  };
}

/** The direct subschemas. */
export const partsOf = (schema: Structural): readonly Structural[] =>
  [...schema.properties.values(), schema.items, additionalOf(schema)].filter((part) => part !== undefined);

/** The schema of undeclared properties; undefined: there is none. */
export const additionalOf = ({ additional }: Structural): Structural | undefined => (additional === 'any' ? undefined : additional);
