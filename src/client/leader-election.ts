import { isRefusal } from '#errors';
import { abortedBy, aliveDuring, silentLog, steady, systemClock, wait, type Clock, type Log } from '#base';
import { formatMicroTime } from '#schema';
import type { ObjectKey } from '#api';
import type { Lease } from '#kinds';
import type { ApiResource } from './api-resource.ts';
import type { Client } from './client.ts';
import { checkClient, checkFunction, checkFunctions, checkKey, checkOptions, checkText, type OptionTypes } from './given.ts';
import type { ResourceClient } from './resource.ts';
import { warnOfFailures } from './warn-of-failures.ts';

/** A candidate, its lease, and its timing. */
export interface Candidate {
  readonly client: Client;
  /** Default: that of the machine. */
  readonly clock?: Clock;
  /** Default: nothing is written. */
  readonly log?: Log;
  /** The lease that all candidates compete for. */
  readonly lease: ObjectKey;
  /** Different for every candidate. */
  readonly identity: string;
  /** How long a lease is valid after a renewal. Default 15 s. */
  readonly leaseMs?: number;
  /** A leader that fails to renew for this long stops, so that it has stopped before another may start. Default two thirds of `leaseMs`. */
  readonly renewMs?: number;
  /** Time between two attempts, of leader and candidates. Default 2 s. */
  readonly retryMs?: number;
  readonly signal: AbortSignal;
}

/**
 * Calls `lead` whenever this candidate becomes the leader; the signal passed to it aborts when leadership ends, and only when `lead` has resolved
 * does the candidate compete again; after `retryMs` where it has resolved by itself. Releases the lease when `candidate.signal` aborts, and when `lead`
 * throws, which rejects the result. Whether another holder's lease has expired is judged by how long it has not changed by the local clock, so that
 * clocks need not agree. Keeps the process alive until it resolves.
 */
export async function runForLeader(candidate: Candidate, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
  checkOptions('runForLeader', candidate, CANDIDATE);
  checkClient('option client of runForLeader', candidate.client);
  checkKey('option lease of runForLeader', leasesOf(candidate.client).resource, candidate.lease);
  // Two candidates without one would take each other for themselves, and both lead.
  checkText('option identity of runForLeader', candidate.identity);
  checkFunctions('option signal of runForLeader', candidate.signal, ['addEventListener'], 'an AbortSignal, which ends the candidacy');
  checkFunction('runForLeader', lead, 'a function, which leads');
  await aliveDuring(() => compete({ clock: systemClock, log: silentLog, ...candidate }, lead));
}

const CANDIDATE: OptionTypes<Candidate> = {
  client: 'object',
  clock: 'object',
  log: 'object',
  lease: 'object',
  identity: 'string',
  leaseMs: 'number',
  renewMs: 'number',
  retryMs: 'number',
  signal: 'object',
};

type Settled = Candidate & Required<Pick<Candidate, 'clock' | 'log'>>;

async function compete(candidate: Settled, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { clock, leaseMs = 15_000, renewMs = (leaseMs * 2) / 3, retryMs = 2_000, signal } = candidate;
  const time = steady(clock);
  const observed = new Observed();
  while (!signal.aborted) {
    const heldMs = time.nowMs();
    // A write that took this long may have been superseded by another candidate.
    if (!(await tryToHold(candidate, observed, leaseMs, signal)) || time.nowMs() - heldMs >= renewMs) {
      await wait(clock, retryMs, signal);
      continue;
    }
    const term = new AbortController();
    const leading = (async () => lead(term.signal))().finally(() => term.abort());
    // Handled below, when the term is over.
    leading.catch(() => {});
    await renew(candidate, observed, { leaseMs, renewMs, retryMs }, heldMs, term.signal);
    const isDone = term.signal.aborted;
    term.abort();
    try {
      await leading;
    } finally {
      await release(candidate);
    }
    // Others are to have a chance, and a `lead` that ends at once is not to keep the server busy.
    if (isDone) await wait(clock, retryMs, signal);
  }
}

/** The lease as last observed, since when it has not changed, and how many attempts in a row have failed. */
class Observed {
  version = '';
  sinceMs = 0;
  failures = 0;

  see(version: string, nowMs: number): void {
    if (version === this.version) return;
    this.version = version;
    this.sinceMs = nowMs;
  }
}

type Times = Required<Pick<Candidate, 'leaseMs' | 'renewMs' | 'retryMs'>>;

/**
 * Renews; resolves when the lease is lost or the term is over. `lastMs`: when the write that holds the lease was sent, because its time in transit is
 * unknown.
 */
async function renew(candidate: Settled, observed: Observed, { leaseMs, renewMs, retryMs }: Times, lastMs: number, term: AbortSignal): Promise<void> {
  const { clock, signal } = candidate;
  const time = steady(clock);
  const until = abortedBy(signal, term).signal;
  let heldMs = lastMs;
  let triedMs = lastMs;
  for (;;) {
    const endMs = heldMs + renewMs;
    const nextMs = triedMs + retryMs;
    await wait(clock, Math.max(0, Math.min(nextMs, endMs) - time.nowMs()), until);
    if (until.aborted || nextMs >= endMs) return;
    triedMs = time.nowMs();
    // A process that was suspended may wake when another candidate leads.
    if (triedMs >= endMs) return;
    if (await tryInTime(candidate, observed, leaseMs, endMs - triedMs, until)) heldMs = triedMs;
    else if (time.nowMs() >= endMs) return;
  }
}

/** As `tryToHold`; also false without a response within `withinMs`, or when `until` aborts: a server that hangs must not keep a leader. */
async function tryInTime(candidate: Settled, observed: Observed, leaseMs: number, withinMs: number, until: AbortSignal): Promise<boolean> {
  const over = abortedBy(until);
  const isHeld = await Promise.race([tryToHold(candidate, observed, leaseMs, over.signal), wait(candidate.clock, withinMs, over.signal).then(() => false)]);
  over.abort();
  return isHeld;
}

/** Not taken from its declaration, with which those of all kinds would be loaded: most programs with a client alone know none of them. */
const LEASES: Omit<ApiResource, 'group'> = { version: 'v1', plural: 'leases', kind: 'Lease', isNamespaced: true, verbs: ['get', 'create', 'update'] };

const leasesOf = ({ at, brand }: Client): ResourceClient<Lease> => at({ ...LEASES, group: brand.group('coordination') }) as ResourceClient<Lease>;

/** Acquires or renews; returns whether this candidate holds the lease. Sends nothing more once `signal` aborts. */
async function tryToHold(candidate: Settled, observed: Observed, leaseMs: number, signal: AbortSignal): Promise<boolean> {
  const { lease, log } = candidate;
  try {
    const isHeld = await hold(candidate, observed, leaseMs, signal);
    observed.failures = 0;
    return isHeld;
  } catch (cause) {
    // A conflict means that another candidate wrote first.
    if (isRefusal(cause, 'Conflict', 'AlreadyExists')) return false;
    observed.failures += 1;
    warnOfFailures(log, 'cannot hold the lease of the controllers', (name) => ({ lease: name }))(lease.name, cause, observed.failures);
    return false;
  }
}

/** As `tryToHold`. Rejects where the server does not answer, or refuses. */
async function hold({ client, clock, lease, identity }: Settled, observed: Observed, leaseMs: number, signal: AbortSignal): Promise<boolean> {
  const leases = leasesOf(client);
  const time = formatMicroTime(clock.nowMs());
  const live = await leases.find(lease);
  if (signal.aborted) return false;
  if (live === undefined) {
    const spec = { holderIdentity: identity, leaseDurationSeconds: Math.ceil(leaseMs / 1000), acquireTime: time, renewTime: time, leaseTransitions: 0 };
    await leases.create({ metadata: { ...lease }, spec });
    return true;
  }
  // Observed when the response arrived: the change in it may be slightly older.
  const nowMs = steady(clock).nowMs();
  observed.see(live.metadata.resourceVersion ?? '', nowMs);
  const { holderIdentity, leaseTransitions = 0 } = live.spec;
  const isMine = holderIdentity === identity;
  const isFree = !holderIdentity || nowMs - observed.sinceMs >= leaseMs;
  if (!isMine && !isFree) return false;
  const taken = isMine ? {} : { holderIdentity: identity, acquireTime: time, leaseTransitions: leaseTransitions + 1, leaseDurationSeconds: Math.ceil(leaseMs / 1000) };
  await leases.update({ ...live, spec: { ...live.spec, ...taken, renewTime: time } });
  return true;
}

/** Releases the lease so that another candidate need not wait. A failure does not matter: the lease expires. */
async function release({ client, lease, identity }: Candidate): Promise<void> {
  const leases = leasesOf(client);
  try {
    const live = await leases.find(lease);
    if (live?.spec.holderIdentity === identity) await leases.update({ ...live, spec: { ...live.spec, holderIdentity: '' } });
  } catch {
    // See above.
  }
}
