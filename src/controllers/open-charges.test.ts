import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillClock } from '#base';
import { readUsage, type Usage } from '#kinds';
import { OpenCharges } from './open-charges.ts';

const pods = (amount: number): Usage => readUsage({ pods: `${amount}` });
const openIn = (charges: OpenCharges): number => Number(charges.of('n/q').open.get('pods')?.mantissa ?? 0n);

test('what is charged is open until it comes, in either order', () => {
  const charges = new OpenCharges(new StillClock());
  charges.quotaIs('n/q', pods(2));
  assert.equal(openIn(charges), 2);
  charges.came('n/q', pods(1));
  charges.came('n/q', pods(1));
  assert.equal(openIn(charges), 0);
  charges.came('n/q', pods(3), pods(2));
  charges.quotaIs('n/q', pods(3));
  assert.equal(openIn(charges), 0);
});

test('what is taken off is no charge, and neither is what becomes less', () => {
  const charges = new OpenCharges(new StillClock());
  charges.quotaIs('n/q', pods(2));
  charges.quotaIs('n/q', pods(1));
  charges.came('n/q', pods(1), pods(5));
  assert.equal(openIn(charges), 2);
  charges.quotaIs('n/q', pods(2));
  assert.equal(openIn(charges), 3);
});

test('what has not come when it is settled will not come', () => {
  const clock = new StillClock();
  const charges = new OpenCharges(clock);
  charges.quotaIs('n/q', pods(1));
  clock.turn(1_500);
  charges.quotaIs('n/q', pods(2));
  assert.equal(charges.of('n/q').settlesInMs, 2_000);
  clock.turn(1_999);
  assert.equal(openIn(charges), 2);
  // What charges nothing more, and pays nothing, puts nothing off.
  charges.quotaIs('n/q', pods(2));
  charges.came('n/q', pods(1), pods(1));
  clock.turn(1);
  assert.deepEqual([openIn(charges), charges.of('n/q').settlesInMs], [0, 0]);
  assert.deepEqual(charges.of('n/q').used, pods(2));
});

test('a quota that comes again under its name begins with what it says itself', () => {
  const charges = new OpenCharges(new StillClock());
  charges.quotaIs('n/q', pods(2));
  charges.forget('n/q');
  assert.deepEqual([openIn(charges), charges.of('n/q').used.size], [0, 0]);
  charges.quotaIs('n/q', pods(1));
  assert.equal(openIn(charges), 1);
});
