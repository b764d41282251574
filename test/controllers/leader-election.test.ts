import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClient, exchangeLocal, runForLeader, type Candidate, type Client } from '#client';
import { deferred, SetClock, silentLog, type Deferred, type Log } from '#base';
import { TEST_TOKENS } from '#testing';
import { Cluster } from './cluster.ts';

const LEASE = { namespace: 'orch-system', name: 'election' };

type Times = Pick<Candidate, 'leaseMs' | 'renewMs' | 'retryMs'>;

/** Somebody who wants to lead, under a clock of its own. */
class Rival {
  readonly clock: SetClock = new SetClock();
  readonly ending = new AbortController();
  isLeading = false;
  /** How often it began or ended. */
  changes = 0;
  readonly done: Promise<void>;

  constructor(client: Client, identity: string, times: Times = {}, log: Log = silentLog) {
    this.done = runForLeader({ client, clock: this.clock, log, lease: LEASE, identity, ...times, signal: this.ending.signal }, async (term) => {
      this.#turn(true);
      await new Promise<void>((resolve) => term.addEventListener('abort', () => resolve()));
      this.#turn(false);
    });
  }

  #turn(isLeading: boolean): void {
    this.isLeading = isLeading;
    this.changes++;
  }

  /** Lets time pass in steps until something changes. */
  async change(): Promise<void> {
    const before = this.changes;
    while (this.changes === before) await this.pass(1_000);
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

/** A client whose calls can be held up: on their way to the server, or, of writes, on the way back. Or each of them fails at once. */
class Line {
  readonly client: Client;
  isCut = false;
  #held: { readonly until: Deferred<void>; readonly where: 'there' | 'back' } | undefined;

  constructor(cluster: Cluster) {
    const { exchange } = cluster.server.server;
    const through: typeof exchange = async (request) => {
      const held = this.#held;
      if (this.isCut) throw new Error('there is no connection');
      if (held?.where === 'there') await held.until.promise;
      const answer = await exchange(request);
      if (held?.where === 'back' && request.method !== 'GET') await held.until.promise;
      return answer;
    };
    this.client = createClient(exchangeLocal(through, { authorization: `Bearer ${TEST_TOKENS.admin}` }), { dialect: 'orch' });
  }

  hold(where: 'there' | 'back'): void {
    this.#held = { until: deferred(), where };
  }

  letGo(): void {
    this.#held?.until.resolve();
    this.#held = undefined;
  }
}

/** What a test does with a cluster of its own; rivals give up at its end. */
async function contest(run: (enter: (identity: string, times?: Times) => { readonly line: Line; readonly rival: Rival }) => Promise<void>): Promise<void> {
  const cluster = await Cluster.start({ controllers: 'none' });
  const all: { readonly line: Line; readonly rival: Rival }[] = [];
  try {
    await run((identity, times) => {
      const line = new Line(cluster);
      all.push({ line, rival: new Rival(line.client, identity, times) });
      return all.at(-1)!;
    });
  } finally {
    for (const { line, rival } of all) {
      line.letGo();
      rival.ending.abort();
      await rival.done;
    }
    await cluster.server.close();
  }
}

test('a leader to whom the server says nothing any more stops before another may begin, and takes the lease from nobody later', async () => {
  await contest(async (enter) => {
    const first = enter('first');
    await first.rival.change();
    const second = enter('second');
    await second.rival.pass(0);
    first.line.hold('there');
    for (let step = 0; step < 14; step++) await Promise.all([first.rival.pass(1_000), second.rival.pass(1_000)]);
    assert.deepEqual([first.rival.isLeading, second.rival.isLeading], [false, false]);
    for (let step = 0; step < 4; step++) await second.rival.pass(1_000);
    assert.equal(second.rival.isLeading, true);
    first.line.letGo();
    for (let step = 0; step < 20; step++) await Promise.all([first.rival.pass(1_000), second.rival.pass(1_000)]);
    assert.deepEqual([first.rival.isLeading, second.rival.isLeading], [false, true]);
  });
});

test('a leader whose renewals fail stops in time also where it tries seldom', async () => {
  await contest(async (enter) => {
    const times = { leaseMs: 15_000, renewMs: 14_000, retryMs: 10_000 };
    const first = enter('first', times);
    await first.rival.change();
    const second = enter('second', times);
    await second.rival.pass(0);
    first.line.isCut = true;
    for (let step = 0; step < 14; step++) await Promise.all([first.rival.pass(1_000), second.rival.pass(1_000)]);
    assert.deepEqual([first.rival.isLeading, second.rival.isLeading], [false, false]);
  });
});

test('a leader that slept past its deadline stops when it wakes, before it has heard who leads now', async () => {
  await contest(async (enter) => {
    const first = enter('first');
    await first.rival.change();
    const second = enter('second');
    await second.rival.change();
    first.line.hold('there');
    await first.rival.pass(16_000);
    assert.deepEqual([first.rival.isLeading, second.rival.isLeading], [false, true]);
    first.line.letGo();
    for (let step = 0; step < 4; step++) await Promise.all([first.rival.pass(1_000), second.rival.pass(1_000)]);
    assert.deepEqual([first.rival.isLeading, second.rival.isLeading], [false, true]);
  });
});

test('what was long on its way holds a lease from when it was sent', async () => {
  await contest(async (enter) => {
    const { line, rival } = enter('first');
    await rival.change();
    rival.ending.abort();
    await rival.done;

    const second = enter('second');
    line.hold('there');
    second.line.hold('back');
    for (let step = 0; step < 9; step++) await second.rival.pass(1_000);
    second.line.letGo();
    await second.rival.pass(0);
    second.line.hold('there');
    // Others have seen it renewed 9 s ago.
    for (let step = 0; step < 4; step++) await second.rival.pass(1_000);
    assert.equal(second.rival.isLeading, false);
  });
});

test('who hears of its lease when others may have it already does not begin to lead', async () => {
  await contest(async (enter) => {
    const first = enter('first');
    first.line.hold('back');
    // The lease is made at once; only the answer is long on its way.
    await first.rival.pass(0);
    const second = enter('second');
    await second.rival.pass(0);
    for (let step = 0; step < 16; step++) await Promise.all([first.rival.pass(1_000), second.rival.pass(1_000)]);
    assert.equal(second.rival.isLeading, true);
    // From here on nothing is answered.
    first.line.letGo();
    first.line.hold('there');
    await first.rival.pass(0);
    assert.deepEqual([first.rival.changes, second.rival.changes], [0, 1]);
  });
});

test('who gives up while it asks for the lease of another does not begin to lead', async () => {
  await contest(async (enter) => {
    const first = enter('first');
    await first.rival.change();
    const second = enter('second');
    await second.rival.pass(0);
    second.line.hold('there');
    await second.rival.pass(2_000);
    second.rival.ending.abort();
    second.line.letGo();
    await second.rival.done;
    assert.deepEqual([first.rival.isLeading, second.rival.changes], [true, 0]);
  });
});

test('a lease that was long on its way to be seen has not run out by then', async () => {
  await contest(async (enter) => {
    const first = enter('first');
    await first.rival.change();
    const second = enter('second');
    second.line.hold('there');
    for (let step = 0; step < 9; step++) await Promise.all([first.rival.pass(1_000), second.rival.pass(1_000)]);
    // Renewed just now, and seen just now. From here on the first one's clock stands still.
    second.line.letGo();
    for (let step = 0; step < 14; step++) await second.rival.pass(1_000);
    assert.equal(second.rival.isLeading, false);
    for (let step = 0; step < 4; step++) await second.rival.pass(1_000);
    assert.equal(second.rival.isLeading, true);
  });
});

test('who has done its work at once gives up the lease, and competes again after a while', async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const { client } = new Line(cluster);
  const clock = new SetClock();
  const ending = new AbortController();
  let terms = 0;
  const done = runForLeader({ client, clock, log: silentLog, lease: LEASE, identity: 'first', signal: ending.signal }, () => Promise.resolve(void terms++));
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 40; n++) await new Promise((resolve) => setImmediate(resolve));
  };
  for (const expected of [1, 2, 3]) {
    await settle();
    assert.equal(terms, expected);
    const lease = await cluster.ask('GET', cluster.path('coordination:orch-system/leases', 'election'));
    assert.equal(lease.spec.holderIdentity ?? '', '');
    clock.turn(2_000);
  }
  ending.abort();
  await done;
  await cluster.server.close();
});

test('a leader that throws before it has begun to wait gives up its lease, too', async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const { client } = new Line(cluster);
  const why = new Error('it never began');
  const leading = runForLeader({ client, clock: new SetClock(), lease: LEASE, identity: 'first', signal: new AbortController().signal }, () => {
    throw why;
  });
  await assert.rejects(leading, why);
  const lease = await cluster.ask('GET', cluster.path('coordination:orch-system/leases', 'election'));
  assert.equal(lease.spec.holderIdentity ?? '', '');
  await cluster.server.close();
});

test('what the leader throws is thrown, at once and after the lease was given up', async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const line = new Line(cluster);
  const why = new Error('it fell ill');
  const clock = new SetClock();
  const falling = deferred<never>();
  const leading = runForLeader({ client: line.client, clock, log: silentLog, lease: LEASE, identity: 'first', signal: new AbortController().signal }, () => falling.promise);
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  for (let n = 0; n < 20; n++) await turn();
  // It asks for its renewal when it falls ill: nobody listens to it then.
  line.hold('there');
  clock.turn(2_000);
  await turn();
  falling.reject(why);
  for (let n = 0; n < 20; n++) await turn();
  line.letGo();
  await assert.rejects(leading, why);
  const lease = await cluster.ask('GET', cluster.path('coordination:orch-system/leases', 'election'));
  assert.equal(lease.spec.holderIdentity ?? '', '');
  await cluster.server.close();
});

test('that the lease cannot be held is told less and less often while nothing changes, and anew once it could be', async () => {
  const cluster = await Cluster.start({ controllers: 'none' });
  const line = new Line(cluster);
  const told: unknown[] = [];
  const log: Log = { ...silentLog, warn: (message, facts) => void told.push([message, facts?.['lease'], facts?.['failures']]) };
  line.isCut = true;
  const rival = new Rival(line.client, 'a', {}, log);
  for (let step = 0; step < 20; step++) await rival.pass(2_000);
  const warning = (failures: number): unknown => ['cannot hold the lease of the controllers', LEASE.name, failures];
  assert.deepEqual(told.splice(0), [1, 2, 4, 8, 16].map(warning));
  line.isCut = false;
  await rival.change();
  assert.equal(rival.isLeading, true);
  line.isCut = true;
  await rival.change();
  assert.deepEqual(told[0], warning(1));
  rival.ending.abort();
  await rival.done;
  await cluster.server.close();
});
