import { lookup as askSystem, type LookupAddress, type LookupAllOptions, type LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { forgetOldest, steady, systemClock, type Clock } from '#base';

/** Hears of every address of a name. */
export type Told = (failure: NodeJS.ErrnoException | null, found: readonly LookupAddress[]) => void;

/** Who knows addresses. */
export type AddressBook = (host: string, how: LookupOptions, told: Told) => void;

/** A name that takes longer is slow until it is found sooner. */
const SLOW_MS = 1_000;
const MAX_SLOW_NAMES = 10_000;

/**
 * Asks for names, on behalf of all who dial. The system looks two names up at a time, a question cannot be taken back, and a name server that
 * says nothing takes it ten seconds and more. So nobody asks for a name that is asked for already, and names that were slow wait for each
 * other: neither many calls of one of them nor many of them hold up the names of others.
 */
export class Lookups {
  readonly #clock: Clock;
  readonly #addressBook: AddressBook;
  /** Who waits for what is asked, or in line. */
  readonly #waiting = new Map<string, Told[]>();
  readonly #slow = new Map<string, true>();
  /** Questions about slow names; the first is being asked. */
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

/** As whoever dials wants it: all addresses, or the first. */
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

/** One for the process: what is shared is the system that is asked. */
const shared = new Lookups(systemClock, ofSystem);

export const findAddresses: AddressBook = (host, how, told) => shared.find(host, how, told);

/** For connections to anybody. */
export const lookUp = forDialling(findAddresses);
