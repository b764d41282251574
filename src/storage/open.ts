import { silentLog, systemClock, type Clock, type Log } from '#base';
import { StorageFailure, type Driver, type Engine } from './engine.ts';
import * as engines from './engines/index.gen.ts';

const drivers: ReadonlyMap<string, Driver> = new Map(Object.values(engines).map((driver) => [driver.scheme, driver]));

/** How long lists, pages and watches can go back, unless told otherwise. @spec 4.4 */
const HISTORY_SECONDS = 300;

export interface OpenOptions {
  readonly historySeconds?: number;
  readonly clock?: Clock;
  readonly log?: Log;
}

/**
 * Opens the engine that a URL names: `memory://`, `lmdb://<folder>` (relative to the working directory unless it begins with `/`).
 * Throws `StorageFailure` with a message that says what to do.
 */
export async function openEngine(url: string, options: OpenOptions = {}): Promise<Engine> {
  const { historySeconds = HISTORY_SECONDS, clock = systemClock, log = silentLog } = options;
  const split = url.indexOf('://');
  const scheme = split < 0 ? '' : url.slice(0, split);
  const driver = drivers.get(scheme);
  if (driver === undefined) {
    throw new StorageFailure('unavailable', `no storage engine for ${JSON.stringify(url)}: give memory:// or lmdb://<folder>`);
  }
  return driver.open({ location: url.slice(split + 3), historySeconds, clock, log: (message, fields) => log.warn(message, fields) });
}
