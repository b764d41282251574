import type { ApiService } from './api-service.ts';

export type ServiceSpec = ApiService['spec'];
type Specs = ReadonlyMap<string, ServiceSpec>;

/** The group-versions that definitions declare; several may declare the same one. */
export class Declared {
  readonly #byDefinition = new Map<string, Specs>();
  readonly #declarers = new Map<string, { readonly spec: ServiceSpec; count: number }>();

  /** Sets what a definition declares. Returns the names that it declares, or declared before. */
  set(definition: string, specs: Specs): ReadonlySet<string> {
    const before = this.#byDefinition.get(definition) ?? new Map<string, ServiceSpec>();
    if (specs.size === 0) this.#byDefinition.delete(definition);
    else this.#byDefinition.set(definition, specs);
    for (const [name, spec] of specs) {
      const known = this.#declarers.get(name);
      if (known === undefined) this.#declarers.set(name, { spec, count: 1 });
      else known.count++;
    }
    for (const name of before.keys()) {
      const known = this.#declarers.get(name);
      if (known !== undefined && --known.count === 0) this.#declarers.delete(name);
    }
    return new Set([...before.keys(), ...specs.keys()]);
  }

  /** The spec of a group-version; undefined: no definition declares it. */
  get(name: string): ServiceSpec | undefined {
    return this.#declarers.get(name)?.spec;
  }
}
