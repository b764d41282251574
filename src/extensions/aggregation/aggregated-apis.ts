import type { Brand, Catalog, ObjectAccess } from '#api';
import type { Clock, Log } from '#base';
import type { Registries } from '#registry';
import type { Identified, Reply } from '#request';
import { Availability, type AvailabilityObserver } from './availability.ts';
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
  /** The client certificate for aggregated servers. Absent: none, and they will not trust the user headers. */
  readonly certificate?: ProxyCertificate;
  readonly observer: AvailabilityObserver;
}

/**
 * API aggregation: which server serves which group and version, this one or one behind a service. The parts are started separately, so that health
 * checks name them.
 */
export class AggregatedApis {
  readonly table = new ServiceTable();
  readonly openapi: OpenapiSources;
  readonly #options: AggregatedApisOptions;
  readonly #availability: Availability;
  readonly #registration: Registration;
  /** Proxies a request to the server of its group and version. undefined: this server serves it. */
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

  /** Reads the stored APIServices, and where they lead, and follows both until the signal aborts. To be awaited before the other parts. */
  async follow(signal: AbortSignal): Promise<void> {
    await this.table.follow(this.#options.objects, signal);
    await this.#availability.follow(signal);
  }

  /** Creates and maintains the APIServices of this server's own APIs. Resolves when all exist. */
  register(signal: AbortSignal): Promise<void> {
    return this.#registration.start(signal);
  }

  /** Checks the availability of aggregated servers until the signal aborts. */
  watchOver(signal: AbortSignal): void {
    this.#availability.start(signal);
  }
}
