import { systemClock } from '#base';
import { brandOf } from '#api';
import { DEFAULT_HISTORY_SECONDS } from '#storage';
import { mayBeAnonymous } from './access/authorization-options.ts';
import { logOf } from './access/open-doors.ts';
import { faultOfPairs } from './certificates/check-pairs.ts';
import { isSharedStore, settleElectionLease, settleElectionTimes } from './leader-election-options.ts';
import { OPTIONS } from './options.table.ts';
import type { ServerOptions, Settings } from './options.ts';
import { settleServices } from './services/options.ts';

/** Fills in the defaults. Throws an `Error` that names an invalid option. */
export function settle(options: ServerOptions): Settings {
  const fault = OPTIONS.fault(options, '') ?? faultOfPairs(options);
  if (fault !== undefined) throw new Error(fault);
  const dialect = options.dialect ?? 'orch';
  return {
    dialect,
    store: options.store ?? 'memory://',
    listen: options.listen ?? {},
    ...(options.insecureListen === undefined ? {} : { insecureListen: options.insecureListen }),
    ...(options.tokens === undefined ? {} : { tokens: options.tokens }),
    anonymous: (options.anonymous ?? true) && mayBeAnonymous(options.authorization ?? {}),
    authentication: options.authentication ?? {},
    authorization: options.authorization ?? {},
    admission: options.admission ?? {},
    ...(options.audit === undefined ? {} : { audit: options.audit }),
    ...(options.tracing === undefined ? {} : { tracing: options.tracing }),
    aggregation: options.aggregation ?? {},
    controllers: options.controllers ?? '*',
    aggregateRoles: options.aggregateRoles ?? true,
    leaderElection: options.leaderElection ?? (options.isStoreShared === true || isSharedStore(options.store ?? 'memory://')),
    isStoreShared: options.isStoreShared ?? false,
    leaderElectionLease: settleElectionLease(options.leaderElectionLease, brandOf(dialect)),
    leaderElectionTimes: settleElectionTimes(options.leaderElectionTimes),
    ...(options.rootCa === undefined ? {} : { rootCa: options.rootCa }),
    certificateSigning: options.certificateSigning ?? {},
    kinds: options.kinds ?? [],
    runtimeConfig: options.runtimeConfig ?? '',
    features: options.features ?? new Map(),
    nodes: options.nodes ?? {},
    doors: options.doors ?? {},
    serving: options.serving ?? {},
    metrics: options.metrics ?? {},
    services: settleServices(options.services),
    historySeconds: options.historySeconds ?? DEFAULT_HISTORY_SECONDS,
    ...(options.encryption === undefined ? {} : { encryption: options.encryption }),
    ...(options.storageFormat === undefined ? {} : { storageFormat: options.storageFormat }),
    flowControl: options.flowControl ?? {},
    livezGraceMs: options.livezGraceMs ?? 0,
    shutdownDelayMs: options.shutdownDelayMs ?? 0,
    shutdownGraceMs: options.shutdownGraceMs ?? 10_000,
    clock: options.clock ?? systemClock,
    log: logOf(options.log, options.doors ?? {}),
  };
}
