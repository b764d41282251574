import type { ServerOptions } from '#server';
import type { FlagValues } from '../parse-flags.ts';

const LEASE = { name: 'leader-elect-resource-name', namespace: 'leader-elect-resource-namespace' } as const;
const TIMES = { leaseMs: 'leader-elect-lease-duration', renewMs: 'leader-elect-renew-deadline', retryMs: 'leader-elect-retry-period' } as const;

/** The leader election options from the flags. Without `--leader-elect` the type of the store decides whether there is an election. */
export function readLeaderElection(flags: FlagValues): Pick<ServerOptions, 'leaderElection' | 'leaderElectionLease' | 'leaderElectionTimes'> {
  const lease = Object.entries(LEASE).flatMap(([part, flag]) => (flags.text(flag) === undefined ? [] : [[part, flags.text(flag)]]));
  const times = Object.entries(TIMES).map(([time, flag]) => [time, flags.milliseconds(flag)]);
  return {
    ...(flags.given.has('leader-elect') ? { leaderElection: flags.isOn('leader-elect') } : {}),
    leaderElectionLease: Object.fromEntries(lease) as NonNullable<ServerOptions['leaderElectionLease']>,
    leaderElectionTimes: Object.fromEntries(times) as NonNullable<ServerOptions['leaderElectionTimes']>,
  };
}
