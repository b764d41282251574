/**
 * The structure of a type for field ownership: a value is a leaf, which is owned as a whole, or has parts with owners of their own.
 * @spec 4.9
 */
export type Structure = { readonly is: 'leaf' } | MemberStructure | { readonly is: 'set' } | KeyedList | { readonly is: 'deduced' };

/** A value that is owned as a whole. */
export const LEAF_STRUCTURE: Structure = { is: 'leaf' };
/** A list of scalars, each of which has owners of its own. */
export const SET_STRUCTURE: Structure = { is: 'set' };

/** A value without a schema: objects have parts with owners of their own, everything else is a leaf. */
export const DEDUCED: Structure = { is: 'deduced' };
/** An object without a schema. */
export const DEDUCED_OBJECT: MemberStructure = { is: 'map', of: () => DEDUCED };

/** A list whose items have identities: a set or a list with keys. */
export type ItemList = Extract<Structure, { is: 'set' | 'keyed' }>;

/** An object: one with declared fields, or a map. */
export type MemberStructure =
  | {
      readonly is: 'struct';
      readonly fields: ReadonlyMap<string, () => Structure>;
      /** The structure of undeclared fields, which are treated like map entries. Absent: there are none. */
      readonly rest?: () => Structure;
    }
  | { readonly is: 'map'; readonly of: () => Structure };

/** A list whose items are identified by some of their fields. */
export interface KeyedList {
  readonly is: 'keyed';
  readonly keys: readonly ListKey[];
  readonly of: () => Structure;
}

export interface ListKey {
  readonly name: string;
  /** The value for items without the key. */
  readonly fallback: unknown;
}
