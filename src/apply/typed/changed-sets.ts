import type { PathElement } from '../fieldpath/element.ts';
import { SetBuilder } from '../fieldpath/set.ts';
import type { ChangeSink, Comparison } from './comparison.ts';

/** Collects the results of a comparison into sets. */
export class ChangedSets implements ChangeSink {
  readonly #added = new SetBuilder();
  readonly #removed = new SetBuilder();
  readonly #modified = new SetBuilder();
  readonly #path: PathElement[] = [];

  enter(element: PathElement): void {
    this.#path.push(element);
  }

  leave(): void {
    this.#path.pop();
  }

  found(what: keyof Comparison): void {
    (what === 'added' ? this.#added : what === 'removed' ? this.#removed : this.#modified).insert(this.#path);
  }

  finish(): Comparison {
    return { added: this.#added.finish(), removed: this.#removed.finish(), modified: this.#modified.finish() };
  }
}
