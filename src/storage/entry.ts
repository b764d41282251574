/** Components of printable characters, joined by `/`. Keys are ordered by their UTF-8 bytes. */
export type Key = string;
/** A positive safe integer. */
export type Revision = number;

/** The head of an empty store. */
export const FIRST_REVISION: Revision = 1;

/** The value of a key at a revision. */
export interface Entry {
  readonly key: Key;
  readonly value: Uint8Array;
  /** The revision of the commit that wrote this value. */
  readonly revision: Revision;
}
