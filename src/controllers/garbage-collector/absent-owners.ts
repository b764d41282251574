import { groupOf, type OwnerRef } from './graph.ts';

const REMEMBERED = 1_000;

/** Owners that were looked for in vain. A uid is never given twice, so what is gone stays gone. */
export class AbsentOwners {
  readonly #known = new Set<string>();

  has(ref: OwnerRef, namespace: string): boolean {
    return this.#known.has(wordOf(ref, namespace));
  }

  add(ref: OwnerRef, namespace: string): void {
    this.#known.add(wordOf(ref, namespace));
    if (this.#known.size <= REMEMBERED) return;
    for (const oldest of this.#known) {
      this.#known.delete(oldest);
      return;
    }
  }
}

const wordOf = ({ uid, apiVersion, kind, name }: OwnerRef, namespace: string): string => [uid, groupOf(apiVersion), kind, namespace, name].join('/');
