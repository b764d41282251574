import type { Brand, Catalog, ObjectAccess } from '#api';
import type { Clock, Log } from '#base';
import type { Registries } from '#registry';
import type { Identified, Reply } from '#request';
import { Availability } from './availability.ts';
import { BackEnds } from './back-ends.ts';
import type { ProxyCertificate } from './calls.ts';
import { OpenapiSources } from './openapi-sources.ts';
import { createProxy, type HandOn } from './proxy.ts';
import { Registration, type RegistrationOptions } from './registration.ts';
import { ServiceTable } from './service-table.ts';

export interface AggregatedApisOptions {
  readonly catalog: Catalog;
  readonly objects: ObjectAccess;
  readonly registries: Registries;
  readonly clock: Clock;
  readonly log: Log;
  readonly handOn: HandOn;
  readonly prioritiesOf: RegistrationOptions['prioritiesOf'];
  /** What is shown to other servers. Absent: nothing, and they will not believe who asks. */
  readonly certificate?: ProxyCertificate;
}

/** Who serves which group and version: this server, or one behind a service. The parts are started one by one, so that health checks name them. */
export class AggregatedApis {
  readonly table = new ServiceTable();
  readonly openapi: OpenapiSources;
  readonly #options: AggregatedApisOptions;
  readonly #availability: Availability;
  readonly #registration: Registration;
  /** Answers what another server serves. undefined: nothing of that. */
  readonly proxy: (request: Identified) => Promise<Reply> | undefined;

  constructor(options: AggregatedApisOptions) {
    const { table } = this;
    const brand: Brand = options.catalog.brand;
    const parts = { ...options, brand, table, backEnds: new BackEnds(), certificate: options.certificate };
    this.#options = options;
    this.openapi = new OpenapiSources(parts);
    this.proxy = createProxy(parts);
    this.#availability = new Availability(parts);
    this.#registration = new Registration(parts);
  }

  /** Learns what is stored, and follows it until the signal aborts. To be awaited before the others. */
  follow(signal: AbortSignal): Promise<void> {
    return this.table.follow(this.#options.objects, signal);
  }

  /** Makes and keeps the objects of what this server serves. Resolves when all are there. */
  register(signal: AbortSignal): Promise<void> {
    return this.#registration.start(signal);
  }

  /** Finds out who can be reached, until the signal aborts. */
  watchOver(signal: AbortSignal): void {
    this.#availability.start(signal);
  }
}
