import { silentLog, systemClock, type Clock, type Log } from '#base';
import type { Driver } from './driver.ts';
import type { Engine } from './engine.ts';
import { StorageFailure } from './storage-failure.ts';
import * as engines from './engines/index.gen.ts';

const drivers: ReadonlyMap<string, Driver> = new Map(Object.values(engines).map((driver) => [driver.scheme, driver]));

/** By default, how long lists, continue tokens and watches can go back. @spec 4.4 */
export const DEFAULT_HISTORY_SECONDS = 300;

export interface OpenOptions {
  readonly historySeconds?: number;
  /** Other processes of this machine may open the store at the same time, if all of them set this. */
  readonly isShared?: boolean;
  readonly clock?: Clock;
  readonly log?: Log;
}

/**
 * Opens the engine that a URL names: `memory://`, `lmdb://<folder>` (relative to the working directory unless it begins with `/`),
 * `sqlite://<folder>` (Node 22.13 and newer), `etcd://<host>:<port>,…?<settings>`.
 * Throws `StorageFailure` with a message that says what to do.
 */
export async function openEngine(url: string, options: OpenOptions = {}): Promise<Engine> {
  const { historySeconds = DEFAULT_HISTORY_SECONDS, isShared = false, clock = systemClock, log = silentLog } = options;
  const { driver, location } = driverOf(url);
  return driver.open({ location, historySeconds, isShared, clock, log: (message, fields) => log.warn(message, fields) });
}

/** The driver for the scheme of a URL, and the rest of the URL. Throws a `StorageFailure` that names the known schemes. */
export function driverOf(url: string): { readonly driver: Driver; readonly location: string } {
  const split = url.indexOf('://');
  const driver = drivers.get(split < 0 ? '' : url.slice(0, split));
  if (driver === undefined) {
    throw new StorageFailure('unavailable', `no storage engine for ${JSON.stringify(url)}: give memory:// or lmdb://<folder> or sqlite://<folder> or etcd://<host>:<port>`);
  }
  return { driver, location: url.slice(split + 3) };
}
