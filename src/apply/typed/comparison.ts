import type { PathElement } from '../fieldpath/element.ts';
import type { FieldSet } from '../fieldpath/set.ts';

/** What became of one object's paths. */
export interface Comparison {
  readonly added: FieldSet;
  readonly removed: FieldSet;
  readonly modified: FieldSet;
}

/** What a comparison tells as it walks: where it is, and what it finds there. */
export interface ChangeSink {
  enter(element: PathElement): void;
  leave(): void;
  found(what: keyof Comparison): void;
}
