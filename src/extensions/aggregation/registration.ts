import type { ApiObject, Brand, Catalog, ObjectAccess } from '#api';
import { isDeepEqual, type Clock, type Log } from '#base';
import { isRefusal, type Reason } from '#errors';
import type { CustomResourceDefinition } from '#kinds';
import { OWN_WRITE, remove, type Registries } from '#registry';
import { DEFINITION } from '../crd/definition.ts';
import { API_SERVICE, keyOf, nameOf, type ApiService } from './api-service.ts';
import { Declared, type ServiceSpec } from './declared.ts';
import type { ServiceTable } from './service-table.ts';
import { WorkList } from './work-list.ts';

export interface Priorities {
  readonly groupPriority: number;
  readonly versionPriority: number;
}

export interface RegistrationOptions {
  readonly catalog: Catalog;
  readonly table: ServiceTable;
  readonly objects: ObjectAccess;
  readonly registries: Registries;
  readonly clock: Clock;
  readonly log: Log;
  readonly prioritiesOf: (group: string, version: string) => Priorities;
}

type Spec = ServiceSpec;
/** Values of the label on managed APIServices: maintained at start only, or always. An object without the label is a user's. */
const ON_START = 'onstart';
const ALWAYS = 'true';

/**
 * Maintains an APIService for each group and version of this server. Those of built-in groups are restored at start only; later changes and deletions
 * by users stay. Those of custom resources follow their definitions.
 */
export class Registration {
  readonly #options: RegistrationOptions;
  readonly #builtIn: ReadonlyMap<string, Spec>;
  readonly #declared = new Declared();

  constructor(options: RegistrationOptions) {
    this.#options = options;
    this.#builtIn = builtInSpecs(options);
  }

  /** Resolves when every built-in group and version has its APIService, and all definitions are known. */
  async start(signal: AbortSignal): Promise<void> {
    const { table, clock, log, objects, catalog } = this.#options;
    // The API group of APIServices may be switched off.
    if (catalog.findKind(catalog.brand.group(API_SERVICE.group), API_SERVICE.kind) === undefined) return;
    await this.#putRight();
    const list = new WorkList((name) => this.#sync(name), { about: 'an APIService of a custom resource', clock, log, signal });
    const declare = (definition: string, specs: ReadonlyMap<string, Spec>): void => {
      for (const name of this.#declared.set(definition, specs)) list.add(name);
    };
    const put = (object: ApiObject): void => declare(object.metadata.name ?? '', declaredBy(object as CustomResourceDefinition, this.#options.prioritiesOf));
    await objects.follow(DEFINITION, { put, remove: ({ name }) => declare(name, new Map()) }, signal);
    // Changes by users are reverted, and APIServices that no definition declares any more are deleted.
    table.onChange((name, service) => {
      const spec = this.#declared.get(name);
      if (spec === undefined ? this.#labelOf(service) === ALWAYS : service === undefined || !holds(service.spec, spec)) list.add(name);
    });
    for (const service of table.all) if (this.#labelOf(service) === ALWAYS) list.add(nameOf(service));
  }

  async #putRight(): Promise<void> {
    const { table } = this.#options;
    const work = [...this.#builtIn].map(([name, spec]) => this.#ensure(name, spec, ON_START));
    const left = [...table.all].filter((service) => this.#labelOf(service) === ON_START && !this.#builtIn.has(nameOf(service)));
    await Promise.all([...work, ...left.map((service) => this.#remove(service))]);
  }

  async #sync(name: string): Promise<void> {
    if (this.#builtIn.has(name)) return;
    const spec = this.#declared.get(name);
    const live = this.#options.table.get(name);
    if (spec !== undefined) await this.#ensure(name, spec, ALWAYS);
    else if (live !== undefined && this.#labelOf(live) === ALWAYS) await this.#remove(live);
  }

  #labelOf(service: ApiService | undefined): string | undefined {
    return service?.metadata.labels?.[this.#brand.names.automanagedLabel];
  }

  get #brand(): Brand {
    return this.#options.catalog.brand;
  }

  /** Another server on the same store may be creating it at the same time. */
  async #ensure(name: string, spec: Spec, label: string): Promise<void> {
    const { objects, table } = this.#options;
    const live = table.get(name);
    if (live === undefined) {
      await unless('AlreadyExists', objects.create(API_SERVICE, this.#object(name, spec, label)));
    } else if (this.#labelOf(live) !== undefined && !holds(live.spec, spec)) {
      await objects.update(API_SERVICE, keyOf(name), (now) => (this.#labelOf(now as ApiService) === undefined ? undefined : ({ ...now, spec } as ApiObject)));
    }
  }

  #object(name: string, spec: Spec, label: string): ApiObject {
    const { names, group } = this.#brand;
    const metadata = { name, labels: { [names.automanagedLabel]: label } };
    return { apiVersion: `${group(API_SERVICE.group)}/v1`, kind: API_SERVICE.kind, metadata, spec } as ApiObject;
  }

  async #remove({ metadata: { name = '', uid = '' } }: ApiService): Promise<void> {
    const { catalog, registries } = this.#options;
    const resource = catalog.findKind(catalog.brand.group(API_SERVICE.group), API_SERVICE.kind);
    if (resource === undefined) return;
    await unless('Conflict', unless('NotFound', remove(registries.of(resource), keyOf(name), { uid }, OWN_WRITE)));
  }
}

async function unless(reason: Reason, work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (cause) {
    if (!isRefusal(cause, reason)) throw cause;
  }
}

/** Whether a stored spec is equivalent; fields that mean nothing when empty do not count. */
const holds = (live: Spec, wanted: Spec): boolean => isDeepEqual(stripped(live), stripped(wanted));
const stripped = (spec: Spec): object => Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== '' && value !== false && value !== null));

function builtInSpecs({ catalog, prioritiesOf }: RegistrationOptions): ReadonlyMap<string, Spec> {
  // The group of APIServices has no APIService itself.
  const own = catalog.brand.group(API_SERVICE.group);
  const served = catalog.resources.filter(({ gone, group }) => gone === undefined && group !== own);
  return new Map(served.flatMap(({ group, versions }) => versions.map(({ version }) => [`${version}.${group}`, specOf(group, version, prioritiesOf)] as const)));
}

function declaredBy({ spec }: CustomResourceDefinition, prioritiesOf: RegistrationOptions['prioritiesOf']): ReadonlyMap<string, Spec> {
  const served = (spec.versions ?? []).filter((version) => version.served);
  return new Map(served.map(({ name }) => [`${name}.${spec.group}`, specOf(spec.group, name, prioritiesOf)]));
}

function specOf(group: string, version: string, prioritiesOf: RegistrationOptions['prioritiesOf']): Spec {
  const { groupPriority, versionPriority } = prioritiesOf(group, version);
  return { ...(group === '' ? {} : { group }), version, groupPriorityMinimum: groupPriority, versionPriority };
}
