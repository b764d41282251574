import type { ApiObject, ObjectAccess } from '#api';
import { abortedBy, failureText, hostAndPort, isDeepEqual, type Clock, type Log } from '#base';
import { goQuoted } from '#errors';
import type { ServiceAddress } from '#kinds';
import { formatTime } from '#schema';
import { knownWords, TransportFailure } from '#transport';
import { API_SERVICE, availabilityOf, isAvailable, isElsewhere, keyOf, nameOf, type ApiService, type Condition, type Elsewhere } from './api-service.ts';
import type { BackEnds } from './back-ends.ts';
import { askOnOwnAccount, backEndOf, type ProxyCertificate } from './calls.ts';
import type { ServiceTable } from './service-table.ts';
import { WorkList } from './work-list.ts';

/** Hears which APIs can be had. */
export interface AvailabilityObserver {
  /** Takes the reader of all APIServices that are known to be available or not. */
  services(read: () => Iterable<readonly [name: string, isAvailable: boolean]>): void;
  /** This server found that one is no longer available. */
  lost(name: string, reason: string): void;
}

export interface AvailabilityOptions {
  readonly table: ServiceTable;
  readonly backEnds: BackEnds;
  readonly objects: ObjectAccess;
  readonly clock: Clock;
  readonly log: Log;
  readonly certificate: ProxyCertificate | undefined;
  readonly observer: AvailabilityObserver;
}

type Verdict = Pick<Condition, 'status' | 'reason' | 'message'>;

const HERE: Verdict = { status: 'True', reason: 'Local', message: 'Local APIServices are always available' };
const PASSED: Verdict = { status: 'True', reason: 'Passed', message: 'all checks passed' };

/** How often available servers are checked, and unavailable ones. */
const CALM_MS = 30_000;
const EAGER_MS = 5_000;
const ANSWER_MS = 5_000;
/** Concurrent attempts of a check, at different endpoints where the service has several: one that responds is enough. */
const ATTEMPTS = 3;

/** Why a call failed, as clients know it. A call that is given up was: at its time. */
function whyNot(cause: unknown, url: string): string {
  if (!(cause instanceof TransportFailure)) return failureText(cause);
  const words = cause.code === 'aborted' ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)' : knownWords(cause, url);
  return words === undefined ? cause.message : `Get ${goQuoted(url)}: ${words}`;
}

/** Maintains the condition `Available` of APIServices: checks their services, and calls the servers behind them. */
export class Availability {
  readonly #options: AvailabilityOptions;
  readonly #timers = new Map<string, () => void>();
  /** What is checked, once that has started. */
  #list: WorkList | undefined;
  #following: Promise<void> | undefined;

  constructor(options: AvailabilityOptions) {
    this.#options = options;
    options.observer.services(() => this.#known());
  }

  *#known(): Iterable<readonly [string, boolean]> {
    for (const service of this.#options.table.all) {
      const isKnown = !isElsewhere(service) || availabilityOf(service) !== undefined;
      if (isKnown) yield [nameOf(service), !isElsewhere(service) || isAvailable(service)];
    }
  }

  /**
   * Follows the services and endpoints of aggregated servers that are known already: before, none of them could be called. Where that fails it is tried
   * again with the checks.
   */
  async follow(signal: AbortSignal): Promise<void> {
    if (this.#options.table.elsewhere.size > 0) await this.#followBackEnds(signal).catch(() => {});
  }

  /** Starts with the known APIServices; runs until the signal aborts. */
  start(signal: AbortSignal): void {
    const { table, clock, log } = this.#options;
    const list = new WorkList((name) => this.#check(name, signal), { about: 'the condition of an APIService', clock, log, signal });
    this.#list = list;
    const known = new Map<string, ApiService['spec']>();
    const look = (name: string, service: ApiService | undefined): void => {
      if (service === undefined) {
        known.delete(name);
        this.#cancel(name);
        return;
      }
      if (!isElsewhere(service) && availabilityOf(service)?.reason === HERE.reason) return void known.delete(name);
      // The controller's own writes come back as events: only a changed spec counts.
      if (availabilityOf(service) !== undefined && isDeepEqual(known.get(name), service.spec)) return;
      known.set(name, service.spec);
      list.add(name);
    };
    table.onChange(look);
    for (const service of table.all) look(service.metadata.name ?? '', service);
    signal.addEventListener('abort', () => [...this.#timers.keys()].forEach((name) => this.#cancel(name)), { once: true });
  }

  #cancel(name: string): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }

  async #check(name: string, signal: AbortSignal): Promise<void> {
    this.#cancel(name);
    const { table, clock } = this.#options;
    const service = table.get(name);
    if (service === undefined) return;
    const verdict = isElsewhere(service) ? await this.#judge(service, signal) : HERE;
    if (signal.aborted) return;
    await this.#write(name, service, verdict);
    if (!isElsewhere(service) || signal.aborted || table.get(name) === undefined) return;
    this.#timers.set(name, clock.after(verdict.status === 'True' ? CALM_MS : EAGER_MS, () => this.#list?.add(name)));
  }

  async #judge(service: Elsewhere, signal: AbortSignal): Promise<Verdict> {
    await this.#followBackEnds(signal);
    const hindrance = this.#options.backEnds.hindranceOf(service);
    if (hindrance !== undefined) return { status: 'False', ...hindrance };
    const failure = await this.#askDiscovery(service, signal);
    return failure === undefined ? PASSED : { status: 'False', reason: 'FailedDiscoveryCheck', message: failure };
  }

  /** Follows services and endpoints; a failed start is retried. */
  #followBackEnds(signal: AbortSignal): Promise<void> {
    const { backEnds, objects, table } = this.#options;
    const changed = (namespace: string, name: string): void => {
      for (const [apiService, { spec }] of table.elsewhere) if (spec.service.name === name && spec.service.namespace === namespace) this.#list?.add(apiService);
    };
    const failed = (cause: unknown): never => {
      this.#following = undefined;
      throw cause;
    };
    this.#following ??= backEnds.follow(objects, changed, signal).catch(failed);
    return this.#following;
  }

  /** Calls the server's discovery; returns why it failed, or undefined. */
  async #askDiscovery(service: Elsewhere, signal: AbortSignal): Promise<string | undefined> {
    const lead = this.#options.backEnds.leadTo(service);
    if ('nowhere' in lead) return `failing or missing response: ${lead.nowhere}`;
    const { addresses } = lead;
    const enough = abortedBy(signal);
    const tooLate = this.#options.clock.after(ANSWER_MS, () => enough.abort());
    try {
      await Promise.any(Array.from({ length: ATTEMPTS }, (_, i) => this.#askOnce(service, addresses[i % addresses.length] ?? addresses[0], enough.signal)));
      return undefined;
    } catch (cause) {
      const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
      return failureText(first);
    } finally {
      tooLate();
      enough.abort();
    }
  }

  async #askOnce(service: Elsewhere, address: ServiceAddress, signal: AbortSignal): Promise<void> {
    const { group = '', version = '' } = service.spec;
    const path = `/apis/${group}/${version}`;
    const url = `https://${hostAndPort(address.host, address.port)}${path}`;
    let status: number;
    try {
      ({ status } = await askOnOwnAccount(backEndOf(service, [address], this.#options.certificate), path, {}, signal));
    } catch (cause) {
      throw new Error(`failing or missing response from ${url}: ${whyNot(cause, url)}`, { cause });
    }
    if (status < 200 || status > 299) throw new Error(`failing or missing response from ${url}: bad status from ${url}: ${status}`);
  }

  /** The transition time of a condition changes only with its status. */
  async #write(name: string, service: ApiService, verdict: Verdict): Promise<void> {
    const { objects, clock, observer } = this.#options;
    let isLost = false;
    const change = (object: ApiObject): ApiObject | undefined => {
      isLost = false;
      const live = object as ApiService;
      if (live.metadata.uid !== service.metadata.uid) return undefined;
      const before = availabilityOf(live);
      const lastTransitionTime = before?.status === verdict.status ? before.lastTransitionTime : formatTime(clock.nowMs());
      const next = { type: 'Available', ...verdict, lastTransitionTime } as Condition;
      if (isDeepEqual(before, next)) return undefined;
      isLost = before?.status === 'True' && verdict.status !== 'True';
      const others = (live.status.conditions ?? []).filter(({ type }) => type !== 'Available');
      return { ...live, status: { ...live.status, conditions: [...others, next] } } as ApiObject;
    };
    if (!isDeepEqual(availabilityOf(service), { ...availabilityOf(service), ...verdict })) await objects.update(API_SERVICE, keyOf(name), change, 'status');
    if (isLost) observer.lost(name, verdict.reason ?? 'UnknownReason');
  }
}
