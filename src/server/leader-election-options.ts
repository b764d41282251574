import { checkDnsLabel, checkDnsSubdomain, type Brand } from '#api';

/** The Lease that servers which share a store compete for. */
export interface LeaderElectionLease {
  /** Default `kube-controller-manager`. */
  readonly name?: string;
  /** An existing namespace. Default: that of the system. */
  readonly namespace?: string;
}

/** How long servers that share a store wait for each other before one runs controllers; in milliseconds. */
export interface LeaderElectionTimes {
  /** How long other candidates wait after the last renewal. Default 15 s. */
  readonly leaseMs?: number;
  /** A leader that fails to renew for this long stops. Default 10 s. */
  readonly renewMs?: number;
  /** Time between two tries. Default 2 s. */
  readonly retryMs?: number;
}

/** Stores that no other machine can have open. */
const OWN_STORE = /^(?:memory|lmdb|sqlite):/;

/** Whether servers on other machines may have the same store open. */
export const isSharedStore = (store: string): boolean => !OWN_STORE.test(store);

/** Throws an `Error` that names the flag. */
export function settleElectionTimes({ leaseMs = 15_000, renewMs = 10_000, retryMs = 2_000 }: LeaderElectionTimes = {}): Required<LeaderElectionTimes> {
  if (!(retryMs > 0)) throw new Error('leader-elect-retry-period: must be longer than 0s');
  if (!(renewMs > retryMs)) throw new Error('leader-elect-renew-deadline: must be longer than --leader-elect-retry-period, or the leader could not renew in time');
  if (!(leaseMs > renewMs)) throw new Error('leader-elect-lease-duration: must be longer than --leader-elect-renew-deadline, or two servers could lead at once');
  return { leaseMs, renewMs, retryMs };
}

/** Throws an `Error` that names the flag. */
export function settleElectionLease({ name = 'kube-controller-manager', namespace }: LeaderElectionLease = {}, brand: Brand): Required<LeaderElectionLease> {
  const settled = { name, namespace: namespace ?? brand.names.systemNamespace };
  refuse('leader-elect-resource-name', checkDnsSubdomain(settled.name));
  refuse('leader-elect-resource-namespace', checkDnsLabel(settled.namespace));
  return settled;
}

function refuse(flag: string, faults: readonly string[] | undefined): void {
  if (faults !== undefined) throw new Error(`${flag}: ${faults.join('; ')}`);
}
