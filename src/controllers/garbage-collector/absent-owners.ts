import { parseApiVersion } from '#api';
import type { OwnerRef } from './graph.ts';

const REMEMBERED = 1_000;

interface Owner {
  readonly uid: string;
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** Owners that were looked for in vain, or seen to go. A uid is never given twice, so what is gone stays gone. */
export class AbsentOwners {
  readonly #known = new Set<string>();
  /** Seen to go while no object was known that names them as owner. Most are never asked for: apart, so that they do not push out the others. */
  readonly #unnamed = new Set<string>();

  /** `namespace`: that of the object that names the owner. */
  has(ref: OwnerRef, namespace: string): boolean {
    const owner = ownerOf(ref);
    return [wordOf(owner, namespace), wordOf(owner, NOWHERE)].some((word) => this.#known.has(word) || this.#unnamed.has(word));
  }

  /** Not there for those who name it from this namespace; one that belonged to no namespace is there for nobody. */
  add(owner: Owner, namespace: string, isNamed = true): void {
    const words = isNamed ? this.#known : this.#unnamed;
    words.add(wordOf(owner, namespace));
    if (words.size <= REMEMBERED) return;
    for (const oldest of words) {
      words.delete(oldest);
      return;
    }
  }
}

const NOWHERE = '';

export const ownerOf = ({ uid, apiVersion, kind, name }: OwnerRef): Owner => ({ uid, group: parseApiVersion(apiVersion).group, kind, name });

const wordOf = ({ uid, group, kind, name }: Owner, namespace: string): string => [uid, group, kind, namespace, name].join('/');
