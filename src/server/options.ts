import { silentLog, systemClock, type Clock, type Log } from '#base';
import { DIALECTS, type Dialect } from '#api';

/** How a server is started. Everything has a default: `startServer()` is an empty server in memory, on a free loopback port. */
export interface ServerOptions {
  /** Spelling of product names on the wire. Default `orch`. */
  readonly dialect?: Dialect;
  /** `memory://` (default) or `lmdb://<folder>`. */
  readonly store?: string;
  /** Where to listen; `false`: no socket, only `exchange`. Default: plain HTTP on a free loopback port. */
  readonly listen?: Listen | false;
  /** A second address, without TLS, on loopback only. Default: none. */
  readonly insecureListen?: Pick<Listen, 'port'>;
  /** Lines of `token,user,uid[,"group1,group2"]`. */
  readonly tokens?: string;
  /** Let requests without credentials in as `system:anonymous`. Default true. */
  readonly anonymous?: boolean;
  /** Give roles that are put together from others (`admin`, `edit`, `view`) the rules of those at the start. Default true. */
  readonly aggregateRoles?: boolean;
  /** How long old versions stay readable. Default 5 minutes. */
  readonly historySeconds?: number;
  /** How long `/livez` overlooks parts of the start that are not done. Default 0. */
  readonly livezGraceMs?: number;
  /** How long `close` goes on serving while `/readyz` fails already, so that load balancers notice. Default 0. */
  readonly shutdownDelayMs?: number;
  /** How long `close` lets running requests go on. Default 10 seconds. */
  readonly shutdownGraceMs?: number;
  readonly clock?: Clock;
  readonly log?: Log;
}

export interface Listen {
  /** Default `127.0.0.1`. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** PEM texts. Absent: plain HTTP, on loopback addresses only. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly clientCa?: string };
}

/** The options with every default filled in. */
export type Settings = Required<Omit<ServerOptions, 'tokens' | 'insecureListen'>> & Pick<ServerOptions, 'tokens' | 'insecureListen'>;

/** Throws an `Error` that names the option. */
export function settle(options: ServerOptions): Settings {
  const dialect = options.dialect ?? 'orch';
  if (!DIALECTS.includes(dialect)) throw new Error(`dialect ${JSON.stringify(dialect)} is not known; choose one of ${DIALECTS.join(', ')}`);
  return {
    dialect,
    store: options.store ?? 'memory://',
    listen: options.listen ?? {},
    ...(options.insecureListen === undefined ? {} : { insecureListen: options.insecureListen }),
    ...(options.tokens === undefined ? {} : { tokens: options.tokens }),
    anonymous: options.anonymous ?? true,
    aggregateRoles: options.aggregateRoles ?? true,
    historySeconds: options.historySeconds ?? 300,
    livezGraceMs: options.livezGraceMs ?? 0,
    shutdownDelayMs: options.shutdownDelayMs ?? 0,
    shutdownGraceMs: options.shutdownGraceMs ?? 10_000,
    clock: options.clock ?? systemClock,
    log: options.log ?? silentLog,
  };
}
