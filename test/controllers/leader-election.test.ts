import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, exchangeLocal, runForLeader, type Client } from '#client';
import { SetClock, silentLog } from '#base';
import { TEST_TOKENS } from '#testing';
import { Cluster } from './cluster.ts';

const LEASE = { namespace: 'orch-system', name: 'election' };

/** Somebody who wants to lead, under a clock of its own. */
class Rival {
  readonly clock: SetClock = new SetClock();
  readonly ending = new AbortController();
  isLeading = false;
  #changes = 0;
  readonly done: Promise<void>;

  constructor(client: Client, identity: string) {
    this.done = runForLeader({ client, clock: this.clock, log: silentLog, lease: LEASE, identity, signal: this.ending.signal }, async (term) => {
      this.#turn(true);
      await new Promise<void>((resolve) => term.addEventListener('abort', () => resolve()));
      this.#turn(false);
    });
  }

  #turn(isLeading: boolean): void {
    this.isLeading = isLeading;
    this.#changes++;
  }

  /** Lets time pass in steps until something changes. */
  async change(): Promise<void> {
    const before = this.#changes;
    while (this.#changes === before) await this.pass(1_000);
  }

  /** Time passes, and what follows from it happens. */
  async pass(ms: number): Promise<void> {
    this.clock.turn(ms);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

test('one leads at a time; who gives up, or is not heard of any more, is followed by another', async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const open = (): Client => createClient(exchangeLocal(cluster.server.server.exchange, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const first = new Rival(open(), 'first');
  await first.change();
  assert.equal(first.isLeading, true);

  const second = new Rival(open(), 'second');
  for (let step = 0; step < 40; step++) await Promise.all([first.pass(1_000), second.pass(1_000)]);
  assert.deepEqual([first.isLeading, second.isLeading], [true, false]);

  // The first one gives up: the second need not wait for the lease to run out.
  const secondSinceMs = second.clock.nowMs();
  first.ending.abort();
  await first.done;
  assert.equal(first.isLeading, false);
  await second.change();
  assert.equal(second.isLeading, true);
  assert.ok(second.clock.nowMs() - secondSinceMs < 15_000, 'it waited for the lease to run out');

  // The second one is heard of no more: its clock stands still. The third waits 15 s, and the second notices once it wakes up.
  const third = new Rival(open(), 'third');
  await third.pass(0);
  for (let step = 0; step < 14; step++) await third.pass(1_000);
  assert.equal(third.isLeading, false);
  await third.change();
  assert.equal(third.isLeading, true);
  await second.change();
  assert.equal(second.isLeading, false);

  const lease = await cluster.ask('GET', cluster.path('coordination:orch-system/leases', 'election'));
  assert.equal(lease.spec.holderIdentity, 'third');
  assert.equal(lease.spec.leaseTransitions, 2);
  for (const rival of [second, third]) {
    rival.ending.abort();
    await rival.done;
  }
  await cluster.server.close();
});

test('whose clock is put forward takes no lease that is held, and whose clock is put back holds none for longer', async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const open = (): Client => createClient(exchangeLocal(cluster.server.server.exchange, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  const first = new Rival(open(), 'first');
  await first.change();
  const second = new Rival(open(), 'second');
  for (let step = 0; step < 5; step++) await Promise.all([first.pass(1_000), second.pass(1_000)]);
  second.clock.put(86_400_000);
  for (let step = 0; step < 5; step++) await Promise.all([second.pass(1_000), first.pass(1_000)]);
  assert.deepEqual([first.isLeading, second.isLeading], [true, false]);

  // From now on the first one cannot renew.
  first.clock.put(-86_400_000);
  const lease = cluster.path('coordination:orch-system/leases', 'election');
  const live = await cluster.ask('GET', lease);
  await cluster.ask('PUT', lease, { ...live, spec: { ...live.spec, holderIdentity: 'somebody else' } });
  for (let step = 0; step < 13; step++) await first.pass(1_000);
  assert.equal(first.isLeading, false);
  for (const rival of [first, second]) {
    rival.ending.abort();
    await rival.done;
  }
  await cluster.server.close();
});
