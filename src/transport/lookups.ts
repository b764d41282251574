import { lookup as askSystem, type LookupAddress, type LookupAllOptions, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { forgetOldest, steady, systemClock, type Clock } from '#base';

/** Callback with all addresses of a name. */
export type Told = (failure: NodeJS.ErrnoException | null, found: readonly LookupAddress[]) => void;

/** Resolves a host name. */
export type AddressBook = (host: string, how: LookupOptions, told: Told) => void;

/** A name whose resolution takes longer is slow until a look-up is faster. */
const SLOW_MS = 1_000;
const MAX_SLOW_NAMES = 10_000;

/**
 * Resolves host names for all connections of the process. The system resolves two names at a time, a look-up cannot be cancelled, and an unresponsive
 * DNS server takes it ten seconds and more. So concurrent look-ups of one name are shared, and slow names are resolved one at a time: neither many
 * calls of one slow name nor many slow names delay the look-ups of other names.
 */
export class Lookups {
  readonly #clock: Clock;
  readonly #addressBook: AddressBook;
  /** Callbacks by name, in progress or queued. */
  readonly #waiting = new Map<string, Told[]>();
  readonly #slow = new Map<string, true>();
  /** Look-ups of slow names; the first is in progress. */
  readonly #line: (() => void)[] = [];

  constructor(clock: Clock, addressBook: AddressBook) {
    this.#clock = steady(clock);
    this.#addressBook = addressBook;
  }

  find(host: string, how: LookupOptions, told: Told): void {
    const question = JSON.stringify([host, how]);
    const beside = this.#waiting.get(question);
    if (beside !== undefined) return void beside.push(told);
    this.#waiting.set(question, [told]);
    if (!this.#slow.has(host)) return this.#ask(question, host, how, () => {});
    this.#line.push(() => this.#ask(question, host, how, () => this.#nextInLine()));
    if (this.#line.length === 1) this.#line[0]?.();
  }

  #ask(question: string, host: string, how: LookupOptions, after: () => void): void {
    const sinceMs = this.#clock.nowMs();
    this.#addressBook(host, how, (failure, found) => {
      this.#slow.delete(host);
      if (this.#clock.nowMs() - sinceMs >= SLOW_MS) {
        forgetOldest(this.#slow, MAX_SLOW_NAMES);
        this.#slow.set(host, true);
      }
      const waiting = this.#waiting.get(question) ?? [];
      this.#waiting.delete(question);
      after();
      for (const told of waiting) told(failure, found);
    });
  }

  #nextInLine(): void {
    this.#line.shift();
    this.#line[0]?.();
  }
}

/** In the form of the `lookup` option of sockets: all addresses, or the first. */
export const forDialling =
  (find: AddressBook): LookupFunction =>
  (host, { all, ...how }, done) =>
    find(host, how, (failure, found) => {
      const [first] = found;
      if (all === true || first === undefined) (done as Told)(failure, found);
      else done(failure, first.address, first.family);
    });

const ofSystem: AddressBook = (host, how, told) => {
  const everyAddress: LookupAllOptions = { ...how, all: true };
  askSystem(host, everyAddress, (failure, found) => told(failure, failure === null ? found : []));
};

/** One per process, as is the system resolver behind it. */
const shared = new Lookups(systemClock, ofSystem);

export const findAddresses: AddressBook = (host, how, told) => shared.find(host, how, told);

/** The `lookup` option for connections without address checks. */
export const lookUp = forDialling(findAddresses);
