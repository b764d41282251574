import { parseApiVersion } from '#api';
import type { OwnerRef } from './graph.ts';

const REMEMBERED = 1_000;

interface Owner {
  readonly uid: string;
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** Owners that do not exist: not found, or seen being deleted. Uids are unique, so an absent owner stays absent. */
export class AbsentOwners {
  readonly #known = new Set<string>();
  /** Deleted while no known object referred to them. Most are never looked up: a separate set, so that they do not evict the others. */
  readonly #unnamed = new Set<string>();

  /** `namespace`: that of the dependent. */
  has(ref: OwnerRef, namespace: string): boolean {
    const owner = ownerOf(ref);
    return [wordOf(owner, namespace), wordOf(owner, NOWHERE)].some((word) => this.#known.has(word) || this.#unnamed.has(word));
  }

  /** Records an owner as absent for dependents in this namespace; a cluster-scoped one is absent for all. */
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
