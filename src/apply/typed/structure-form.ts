/**
 * What ownership sees in a type: whether a value is one piece, or has parts with owners of their own.
 * @spec 4.9
 */
export type Structure = { readonly is: 'leaf' } | MemberStructure | { readonly is: 'set' } | KeyedList | { readonly is: 'deduced' };

/** What no schema describes: objects have parts with owners of their own, everything else is one piece. */
export const DEDUCED: Structure = { is: 'deduced' };
/** An object that no schema describes. */
export const DEDUCED_OBJECT: MemberStructure = { is: 'map', of: () => DEDUCED };

/** What has items that can be told apart. */
export type ItemList = Extract<Structure, { is: 'set' | 'keyed' }>;

/** What has members: a message or a map. */
export type MemberStructure =
  | {
      readonly is: 'struct';
      readonly fields: ReadonlyMap<string, () => Structure>;
      /** Members beside those fields; they come and go like those of a map. Absent: there are none. */
      readonly rest?: () => Structure;
    }
  | { readonly is: 'map'; readonly of: () => Structure };

/** A list whose items are told apart by some of their members. */
export interface KeyedList {
  readonly is: 'keyed';
  readonly keys: readonly ListKey[];
  readonly of: () => Structure;
}

export interface ListKey {
  readonly name: string;
  /** Stands in for an item that leaves the key out. */
  readonly fallback: unknown;
}
