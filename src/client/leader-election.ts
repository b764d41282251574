import { isRefusal } from '#errors';
import { silentLog, stayAlive, steady, systemClock, type Clock, type Log } from '#base';
import { formatMicroTime } from '#schema';
import type { ObjectKey } from '#api';
import { Lease } from '#kinds';
import type { Client } from './client.ts';
import { wait } from './wait.ts';

/** Who competes, for which lease, and with which times. */
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
  /** A leader that has not renewed for so long has lost. Default 15 s. */
  readonly leaseMs?: number;
  /** A leader that could not renew for so long stops, so that it has stopped before others may begin. Default two thirds of `leaseMs`. */
  readonly renewMs?: number;
  /** Time between two tries, of the leader and of the others. Default 2 s. */
  readonly retryMs?: number;
  readonly signal: AbortSignal;
}

/**
 * Calls `lead` whenever this candidate becomes the leader; the signal it is given aborts when that ends, and only when `lead` has resolved
 * does the candidate compete again. Gives the lease up when `candidate.signal` aborts, and when `lead` throws, which is then thrown here. Whether
 * somebody else's lease has run out is judged by how long it has not changed under one's own clock, so that clocks need not agree. The process
 * stays alive until it resolves.
 */
export async function runForLeader(candidate: Candidate, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const letGo = stayAlive();
  try {
    await compete({ clock: systemClock, log: silentLog, ...candidate }, lead);
  } finally {
    letGo();
  }
}

type Settled = Candidate & Required<Pick<Candidate, 'clock' | 'log'>>;

async function compete(candidate: Settled, lead: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const { clock, leaseMs = 15_000, renewMs = (leaseMs * 2) / 3, retryMs = 2_000, signal } = candidate;
  const time = steady(clock);
  const observed = new Observed();
  while (!signal.aborted) {
    const heldMs = time.nowMs();
    // What was written long ago may be somebody else's by now.
    if (!(await tryToHold(candidate, observed, leaseMs, signal)) || time.nowMs() - heldMs >= renewMs) {
      await wait(clock, retryMs, signal);
      continue;
    }
    const term = new AbortController();
    const leading = lead(term.signal).finally(() => term.abort());
    // Heard below, when the term is over.
    leading.catch(() => {});
    await renew(candidate, observed, { leaseMs, renewMs, retryMs }, heldMs, term.signal);
    term.abort();
    try {
      await leading;
    } finally {
      await release(candidate);
    }
  }
}

/** The lease as last seen, and since when it looks like that. */
class Observed {
  version = '';
  sinceMs = 0;

  see(version: string, nowMs: number): void {
    if (version === this.version) return;
    this.version = version;
    this.sinceMs = nowMs;
  }
}

type Times = Required<Pick<Candidate, 'leaseMs' | 'renewMs' | 'retryMs'>>;

/** Resolves when the lease is lost or the term is over. `lastMs`: when what holds the lease was sent, of which nobody knows how long it was on its way. */
async function renew(candidate: Settled, observed: Observed, { leaseMs, renewMs, retryMs }: Times, lastMs: number, term: AbortSignal): Promise<void> {
  const { clock, signal } = candidate;
  const time = steady(clock);
  const until = AbortSignal.any([signal, term]);
  let heldMs = lastMs;
  for (;;) {
    await wait(clock, retryMs, until);
    if (until.aborted) return;
    const nowMs = time.nowMs();
    const leftMs = heldMs + renewMs - nowMs;
    // A process that was asleep may find that nobody took its place.
    if (await tryInTime(candidate, observed, leaseMs, leftMs > 0 ? leftMs : retryMs, until)) heldMs = nowMs;
    else if (time.nowMs() - heldMs >= renewMs) return;
  }
}

/** As `tryToHold`; false also where there is no answer within `withinMs`, or `until` aborts: a server that says nothing keeps no leader in office. */
async function tryInTime(candidate: Settled, observed: Observed, leaseMs: number, withinMs: number, until: AbortSignal): Promise<boolean> {
  const over = new AbortController();
  const end = (): void => over.abort();
  // A signal made of others would be remembered by those, one for each try.
  until.addEventListener('abort', end, { once: true });
  const isHeld = await Promise.race([tryToHold(candidate, observed, leaseMs, over.signal), wait(candidate.clock, withinMs, over.signal).then(() => false)]);
  until.removeEventListener('abort', end);
  end();
  return isHeld;
}

/** Whether the lease is this candidate's now. Once `signal` aborts nothing more is sent. */
async function tryToHold(candidate: Settled, observed: Observed, leaseMs: number, signal: AbortSignal): Promise<boolean> {
  const { client, clock, lease, identity, log } = candidate;
  const leases = client.of(Lease);
  const time = formatMicroTime(clock.nowMs());
  try {
    const live = await leases.find(lease);
    if (signal.aborted) return false;
    if (live === undefined) {
      const spec = { holderIdentity: identity, leaseDurationSeconds: Math.ceil(leaseMs / 1000), acquireTime: time, renewTime: time, leaseTransitions: 0 };
      await leases.create({ metadata: { ...lease }, spec });
      return true;
    }
    // Seen when the answer came: what it tells of may have been written a moment before.
    const nowMs = steady(clock).nowMs();
    observed.see(live.metadata.resourceVersion ?? '', nowMs);
    const { holderIdentity, leaseTransitions = 0 } = live.spec;
    const isMine = holderIdentity === identity;
    const isFree = !holderIdentity || nowMs - observed.sinceMs >= leaseMs;
    if (!isMine && !isFree) return false;
    const taken = isMine ? {} : { holderIdentity: identity, acquireTime: time, leaseTransitions: leaseTransitions + 1, leaseDurationSeconds: Math.ceil(leaseMs / 1000) };
    await leases.update({ ...live, spec: { ...live.spec, ...taken, renewTime: time } });
    return true;
  } catch (cause) {
    // Conflicts mean that somebody else was faster.
    if (!isRefusal(cause, 'Conflict', 'AlreadyExists')) log.warn('cannot hold the lease of the controllers', { lease: lease.name, cause });
    return false;
  }
}

/** So that another candidate need not wait. Failure does not matter: the lease runs out. */
async function release({ client, lease, identity }: Candidate): Promise<void> {
  const leases = client.of(Lease);
  try {
    const live = await leases.find(lease);
    if (live?.spec.holderIdentity === identity) await leases.update({ ...live, spec: { ...live.spec, holderIdentity: '' } });
  } catch {
    // See above.
  }
}
