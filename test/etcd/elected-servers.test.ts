import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TurnedClock, type TestJson } from '#testing';
import { Cluster, DIALECTS } from '../controllers/cluster.ts';
import { EtcdProcess, NO_ETCD } from './etcd-process.ts';

const LEASE = 'kube-controller-manager';
const TIMES = { leaseMs: 60_000, renewMs: 40_000, retryMs: 5_000 };

for (const dialect of DIALECTS) {
  test(`of two servers with one store one runs controllers, and the other one takes over when it ends (${dialect})`, { skip: NO_ETCD }, async () => {
    const etcd = await EtcdProcess.start();
    const store = `etcd://${etcd.address}`;
    const clocks = [new TurnedClock(), new TurnedClock()] as const;
    const start = (clock: TurnedClock): Promise<Cluster> => Cluster.start({ dialect, store, clock, leaderElectionTimes: TIMES, aggregateRoles: false });
    const first = await start(clocks[0]);
    const leases = `coordination:${first.brand.names.systemNamespace}/leases`;
    const isHeld = (one: TestJson): boolean => (one?.spec.holderIdentity ?? '') !== '';
    const { spec } = await first.until(leases, LEASE, isHeld);
    assert.equal(spec.leaseDurationSeconds, 60);

    const second = await start(clocks[1]);
    await second.make('namespaces', { name: 'early' });
    await second.appears('early/serviceaccounts', 'default');
    assert.equal((await second.get(leases, LEASE)).spec.holderIdentity, spec.holderIdentity, 'the second one waits');

    await first.server.close();
    clocks[1].turn(TIMES.retryMs);
    const later = await second.until(leases, LEASE, isHeld);
    assert.notEqual(later.spec.holderIdentity, spec.holderIdentity);
    await second.make('namespaces', { name: 'late' });
    await second.appears('late/serviceaccounts', 'default');
    await second.delete('namespaces', 'early');
    await second.gone('namespaces', 'early');
    await second.server.close();
    await etcd.remove();
  });
}
