import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Dialect } from '#api';
import { TurnedClock, type TestJson } from '#testing';
import { endsWithFile } from '../support/children.ts';
import { Cluster, DIALECTS } from './cluster.ts';

const LEASE = { name: 'our-controllers', namespace: 'default' } as const;
const LEASES = 'coordination:default/leases';
/** Nothing else waits for as long as between two tries. */
const TIMES = { leaseMs: 60_000, renewMs: 40_000, retryMs: 5_500 };

/** Passes over the pauses between tries alone: a write during which much time passed holds no lease. */
class PausesClock extends TurnedClock {
  #hasPause = false;

  override after(delayMs: number, run: () => void): () => void {
    if (delayMs === TIMES.retryMs) this.#hasPause = true;
    return super.after(delayMs, run);
  }

  passPause(): void {
    if (!this.#hasPause) return;
    this.#hasPause = false;
    this.turn(TIMES.retryMs);
  }
}

const cwd = mkdtempSync(join(tmpdir(), 'orch-elected-'));
after(() => rmSync(cwd, { recursive: true, force: true }));

/** A server on a store that others may have open, in a process of its own, until its input ends. */
const PROGRAM = `
  const { startServer } = await import(${JSON.stringify(import.meta.resolve('#server'))});
  const server = await startServer({ listen: false, isStoreShared: true, aggregateRoles: false, ...JSON.parse(process.argv[1]) });
  console.log('started');
  for await (const _ of process.stdin);
  await server.close();
`;

const ENDS: Readonly<Record<string, (process: ChildProcess) => void>> = {
  'ends as it should': (process) => process.stdin?.end(),
  'is killed': (process) => void process.kill('SIGKILL'),
};

const isHeld = (lease: TestJson): boolean => (lease?.spec.holderIdentity ?? '') !== '';

async function startOther(dialect: Dialect, store: string): Promise<ChildProcess> {
  const options = JSON.stringify({ dialect, store, leaderElectionLease: LEASE, leaderElectionTimes: TIMES });
  const child = endsWithFile(spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, options], { stdio: ['pipe', 'pipe', 'inherit'] }));
  await once(child.stdout!, 'data');
  return child;
}

for (const dialect of DIALECTS) {
  for (const [how, end] of Object.entries(ENDS)) {
    test(`of two processes on one LMDB store one runs controllers, and the other one takes over when it ${how} (${dialect})`, async () => {
      const store = `lmdb://${mkdtempSync(join(cwd, 'store-'))}`;
      const other = await startOther(dialect, store);
      const clock = new PausesClock();
      const election = { isStoreShared: true, leaderElectionLease: LEASE, leaderElectionTimes: TIMES };
      const cluster = await Cluster.start({ dialect, store, clock, aggregateRoles: false, ...election });
      const { spec } = await cluster.until(LEASES, LEASE.name, isHeld);
      // Controllers work for this one too, though those that do are in the other process.
      await cluster.make('namespaces', { name: 'early' });
      await cluster.appears('early/serviceaccounts', 'default');
      assert.equal((await cluster.get(LEASES, LEASE.name)).spec.holderIdentity, spec.holderIdentity, 'this one waits');

      const ended = once(other, 'exit');
      end(other);
      await ended;
      // From here on this process writes to the store as well.
      await cluster.make('namespaces', { name: 'late' });
      assert.equal(await cluster.isThere('late/serviceaccounts', 'default'), false);
      const lease = { isTaken: false };
      const taken = cluster.until(LEASES, LEASE.name, (one) => isHeld(one) && one.spec.holderIdentity !== spec.holderIdentity).then(() => (lease.isTaken = true));
      while (!lease.isTaken) {
        clock.passPause();
        await new Promise((resolve) => setImmediate(resolve));
      }
      await taken;
      await cluster.appears('late/serviceaccounts', 'default');
      await cluster.delete('namespaces', 'early');
      await cluster.gone('namespaces', 'early');
      await cluster.server.close();
    });
  }
}
