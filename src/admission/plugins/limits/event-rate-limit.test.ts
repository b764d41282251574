import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StillClock } from '#base';
import { brandOf, createCatalog } from '#api';
import { allKinds } from '#kinds';
import type { AdmissionEnv, AdmissionRequest } from '../../plugin.ts';
import { make } from '../../test-support.ts';
import { eventRateLimit } from './event-rate-limit.ts';

const brand = brandOf('orch');
const resource = createCatalog(allKinds, brand).resources.find(({ kind }) => kind.group === '' && kind.kind === 'Event');

/** A limit of all events together; tells whether an event is let in at this moment. */
function limited(qps: number, burst: number) {
  const clock = new StillClock();
  const config = (): unknown => ({ kind: 'Configuration', apiVersion: 'eventratelimit.admission.orch.io/v1alpha1', limits: [{ type: 'Server', qps, burst }] });
  const { validate } = eventRateLimit.create({ brand, clock, config } as unknown as AdmissionEnv);
  const isLetIn = (): boolean => {
    try {
      void validate?.({ operation: 'CREATE', resource, subresource: '', namespace: 'n', object: make('Event', 'e'), dryRun: false } as unknown as AdmissionRequest);
      return true;
    } catch {
      return false;
    }
  };
  return { clock, isLetIn };
}

test('EventRateLimit: in no span of time more events than the burst and what the rate adds, and as many as that, however often it is asked', () => {
  // Eighths of a second add up exactly.
  const step = fc.record({ passMs: fc.nat({ max: 40 }).map((eighths) => eighths * 125), asks: fc.nat({ max: 8 }) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 30, size: 'max' }), (qps, burst, steps) => {
      const { clock, isLetIn } = limited(qps, burst);
      // In thousandths of an event, which are whole numbers.
      let left = burst * 1000;
      for (const { passMs, asks } of steps) {
        clock.turn(passMs);
        left = Math.min(burst * 1000, left + passMs * qps);
        for (let asked = 0; asked < asks; asked++) {
          const expected = left >= 1000;
          assert.equal(isLetIn(), expected);
          if (expected) left -= 1000;
        }
      }
    }),
  );
});
