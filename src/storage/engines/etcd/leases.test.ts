import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Cluster } from './cluster.ts';
import { Leases } from './leases.ts';
import { LEASE_KEYS, LONGEST_LEASE_SECONDS } from './limits.ts';

/** Leases of an etcd that grants what it is asked for, and what that was. */
function leases(grant: (count: number) => Promise<bigint> = async (count) => BigInt(count)): { readonly granted: number[]; readonly leases: Leases } {
  const granted: number[] = [];
  const send = (_: unknown, { ttlSeconds }: { readonly ttlSeconds: number }): Promise<bigint> => grant(granted.push(ttlSeconds));
  return { granted, leases: new Leases({ write: send } as unknown as Cluster) };
}

/** Nothing here takes time. */
const DEADLINE_MS = Infinity;

describe('leases', () => {
  it('live in whole seconds, never shorter than what is put on them, and 5 % or a minute longer at most', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0.001, max: 1e6, noNaN: true }), async (ttlSeconds) => {
        const { granted, leases: one } = leases();
        await one.for(ttlSeconds, DEADLINE_MS);
        const [seconds = 0] = granted;
        const whole = Math.ceil(ttlSeconds);
        assert.ok(Number.isInteger(seconds) && seconds > whole, `${seconds}`);
        assert.ok(seconds <= whole + Math.min(60, Math.ceil(whole * 0.05)), `${seconds}`);
      }),
    );
  });

  it('live as long as etcd allows where more is asked for', async () => {
    const { granted, leases: long } = leases();
    for (const ttlSeconds of [LONGEST_LEASE_SECONDS, 36e12, 1e300]) await long.for(ttlSeconds, DEADLINE_MS);
    assert.deepEqual(granted, [LONGEST_LEASE_SECONDS]);
  });

  it('that are shared live long enough for each of their keys, at whatever moment it comes, and not much longer', async (t) => {
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    const keys = fc.array(fc.record({ afterMs: fc.oneof(fc.nat(1_000), fc.nat(60_000)), ttlSeconds: fc.constantFrom(0.5, 1, 60, 3_600) }), { maxLength: 30, size: 'max' });
    await fc.assert(
      fc.asyncProperty(keys, async (those) => {
        const endsMs = new Map<bigint, number>();
        const { granted, leases: some } = leases(async (count) => {
          endsMs.set(BigInt(count), nowMs + (granted.at(-1) ?? 0) * 1000);
          return BigInt(count);
        });
        for (const { afterMs, ttlSeconds } of those) {
          nowMs += afterMs;
          const lifeSeconds = (endsMs.get(await some.for(ttlSeconds, DEADLINE_MS))! - nowMs) / 1000;
          const whole = Math.ceil(ttlSeconds);
          assert.ok(lifeSeconds >= ttlSeconds && lifeSeconds <= whole + Math.min(60, Math.ceil(whole * 0.05)), `${lifeSeconds} for ${ttlSeconds}`);
        }
      }),
    );
  });

  it('are shared by keys of one time to live, by so many and no more', async () => {
    const { granted, leases: shared } = leases();
    const ids = new Set<bigint>();
    for (let i = 0; i < LEASE_KEYS; i++) ids.add(await shared.for(3_600, DEADLINE_MS));
    assert.equal(ids.size, 1);
    assert.equal(await shared.for(3_600, DEADLINE_MS), 2n);
    assert.equal(await shared.for(7_200, DEADLINE_MS), 3n);
    assert.equal(granted.length, 3);
  });

  it('are granted anew after one was not granted, and after one is gone', async () => {
    const { leases: some } = leases(async (count) => (count === 1 ? Promise.reject(new Error('not now')) : BigInt(count)));
    await assert.rejects(some.for(3_600, DEADLINE_MS), /not now/);
    assert.equal(await some.for(3_600, DEADLINE_MS), 2n);
    some.forget(3_599.5);
    assert.equal(await some.for(3_600, DEADLINE_MS), 3n);
  });
});
