import type { ApiObject, ObjectKey } from '#api';
import type { ResourceQuota } from '#kinds';

/** The quotas of every namespace, ordered by name. */
export class Quotas {
  readonly #byNamespace = new Map<string, readonly ResourceQuota[]>();

  in(namespace: string): readonly ResourceQuota[] {
    return this.#byNamespace.get(namespace) ?? [];
  }

  put(object: ApiObject): void {
    const { namespace = '', name = '' } = object.metadata;
    const all = [...this.#without(namespace, name), object as ResourceQuota];
    this.#byNamespace.set(namespace, all.sort((one, other) => ((one.metadata.name ?? '') < (other.metadata.name ?? '') ? -1 : 1)));
  }

  remove({ namespace, name }: ObjectKey): void {
    const rest = this.#without(namespace, name);
    if (rest.length === 0) this.#byNamespace.delete(namespace);
    else this.#byNamespace.set(namespace, rest);
  }

  #without(namespace: string, name: string): readonly ResourceQuota[] {
    return this.in(namespace).filter(({ metadata }) => metadata.name !== name);
  }
}
