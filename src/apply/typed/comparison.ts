import type { PathElement } from '../fieldpath/element.ts';
import type { FieldSet } from '../fieldpath/set.ts';

/** The paths in which two objects differ. */
export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

/** Receives the events of a comparison: the paths that it visits, and the differences that it finds there. */
export interface ChangeSink {
  enter(element: PathElement): void;
  leave(): void;
  found(what: keyof Comparison): void;
}
