import type { SchemaProps } from './props.ts';

/**
 * A schema made at run time, ready to walk values by: what is at each place, apart from the rules that only judge values.
 * Members are looked up in maps, so that `__proto__` and its like are names as any other.
 */
export interface Structural {
  /** As it was declared, for the rules. */
  readonly props: SchemaProps;
  readonly properties: ReadonlyMap<string, Structural>;
  /** Members without a property: `'any'` takes them without saying what they are, or leaves it to the rules; undefined: there are none. */
  readonly additional: Structural | 'any' | undefined;
  readonly items: Structural | undefined;
  /** undefined: none. */
  readonly fallback: unknown;
  readonly isNullable: boolean;
  readonly preservesUnknown: boolean;
  /** It or something around it preserves the unknown: what is not declared may be applied and owned, even where it is not kept. */
  readonly isWithinUnknown: boolean;
  /** The value is an object of the API, with metadata of its own. */
  readonly isEmbedded: boolean;
}

/**
 * The depth of a declaration is bounded where it is decoded, and so is the depth of what is made of it. `keepsUnknown`: whatever it says,
 * what it does not know is kept at every place.
 */
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
    items: items === undefined || isList(items) ? undefined : partOf(items),
    fallback: props.default ?? undefined,
    isNullable: props.nullable ?? false,
    preservesUnknown,
    isWithinUnknown,
    isEmbedded: props['x-kubernetes-embedded-resource'] ?? false,
  };
}

const isList = (items: SchemaProps | readonly SchemaProps[]): items is readonly SchemaProps[] => Array.isArray(items);

/** The schemas right inside a schema. */
export const partsOf = (schema: Structural): readonly Structural[] =>
  [...schema.properties.values(), schema.items, additionalOf(schema)].filter((part) => part !== undefined);

/** What a member without a property is; undefined: the schema says nothing. */
export const additionalOf = ({ additional }: Structural): Structural | undefined => (additional === 'any' ? undefined : additional);
