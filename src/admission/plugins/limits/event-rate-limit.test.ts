import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StillClock } from '#base';
import { brandOf, createCatalog, type ApiObject } from '#api';
import { usedMib } from '#test-support';
import { allKinds } from '#kinds';
import type { AdmissionEnv, AdmissionRequest } from '../../plugin.ts';
import { make } from '../../test-support.ts';
import { eventRateLimit } from './event-rate-limit.ts';

const brand = brandOf('orch');
const resource = createCatalog(allKinds, brand).resources.find(({ kind }) => kind.group === '' && kind.kind === 'Event');

const API_VERSION = 'eventratelimit.admission.orch.io/v1alpha1';

const event = (host: string, about = 'a'): ApiObject => make('Event', 'e', { source: { component: 'c', host }, involvedObject: { kind: 'Pod', namespace: 'n', name: about } });

/** These limits; tells whether an event is let in at this moment, or why not. */
function limited(...limits: readonly object[]) {
  const clock = new StillClock();
  const config = (): unknown => ({ kind: 'Configuration', apiVersion: API_VERSION, limits });
  const { validate } = eventRateLimit.create({ brand, clock, config } as unknown as AdmissionEnv);
  const ask = (more: object = {}): string => {
    try {
      const request = { operation: 'CREATE', resource, subresource: '', namespace: 'n', user: { name: 'u', groups: [] }, object: event('h'), dryRun: false, ...more };
      void validate?.(request as unknown as AdmissionRequest);
      return '';
    } catch (cause) {
      return (cause as Error).message;
    }
  };
  return { clock, isLetIn: () => ask() === '', ask };
}

test('EventRateLimit: in no span of time more events than the burst and what the rate adds, and as many as that, however often it is asked', () => {
  // Eighths of a second add up exactly.
  const step = fc.record({ passMs: fc.nat({ max: 40 }).map((eighths) => eighths * 125), asks: fc.nat({ max: 8 }) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }), fc.array(step, { maxLength: 30, size: 'max' }), (qps, burst, steps) => {
      const { clock, isLetIn } = limited({ type: 'Server', qps, burst });
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

test('EventRateLimit: each type of limit counts for itself what it tells apart, and a dry run counts for nothing', () => {
  const one = { qps: 1, burst: 1 };
  const rows: readonly (readonly [type: string, same: object, other: object, key: string])[] = [
    ['Server', { namespace: 'm', user: { name: 'v', groups: [] }, object: event('i') }, {}, ''],
    ['Namespace', { user: { name: 'v', groups: [] } }, { namespace: 'm' }, 'n'],
    ['User', { namespace: 'm' }, { user: { name: 'v', groups: [] } }, 'u'],
    ['SourceAndObject', { namespace: 'm', user: { name: 'v', groups: [] } }, { object: event('i') }, 'chPodna'],
    ['SourceAndObject', {}, { object: event('h', 'b') }, 'chPodna'],
  ];
  for (const [type, same, other, key] of rows) {
    const { ask } = limited({ type, ...one });
    assert.deepEqual([ask({ dryRun: true }), ask(), ask({ dryRun: true })], ['', '', '']);
    assert.equal(ask(same), `Too many requests: limit reached on type ${type} for key ${key}`);
    assert.equal(ask(other) === '', type !== 'Server', type);
  }
  const { ask } = limited({ type: 'User', ...one }, { type: 'Namespace', ...one });
  assert.equal(ask(), '');
  assert.equal(ask(), 'Too many requests: [limit reached on type User for key u, limit reached on type Namespace for key n]');
});

test('EventRateLimit: of more keys than it has room for, those that were seen last are remembered', () => {
  const { ask } = limited({ type: 'Namespace', qps: 1, burst: 1, cacheSize: 2 });
  const isFree = (namespace: string): boolean => ask({ namespace }) === '';
  assert.deepEqual(['a', 'b', 'a', 'c', 'a', 'b'].map(isFree), [true, true, false, true, false, true]);
});

test('EventRateLimit: what is remembered of events does not grow with what they say', async () => {
  const { ask } = limited({ type: 'SourceAndObject', qps: 1, burst: 1 });
  const before = await usedMib();
  for (let n = 0; n < 1_000; n++) assert.equal(ask({ object: event(`${n}${'x'.repeat(100_000)}`) }), '');
  assert.match(ask({ object: event(`999${'x'.repeat(100_000)}`) }), /^Too many requests: limit reached/);
  const grown = (await usedMib()) - before;
  assert.ok(grown < 20, `${grown} MiB`);
});

test('EventRateLimit: what makes no limit is refused at the start, with its place', () => {
  const whole = { type: 'Server', qps: 1, burst: 1 };
  const mistakes: readonly (readonly [configuration: unknown, why: RegExp])[] = [
    [undefined, /must be a Configuration of eventratelimit\.admission\.orch\.io\/v1alpha1 or /],
    [{ kind: 'Limits', apiVersion: API_VERSION, limits: [whole] }, /must be a Configuration/],
    [{ kind: 'Configuration', apiVersion: 'v1', limits: [whole] }, /must be a Configuration/],
    [{ limits: [] }, /limits must be a list with at least one limit/],
    [{ limits: 'all' }, /limits must be a list/],
    [{ limits: [whole, { ...whole, type: 'Cluster' }] }, /limits\[1\]\.type must be one of Server, Namespace, User, SourceAndObject/],
    [{ limits: [{ ...whole, type: 'toString' }] }, /limits\[0\]\.type/],
    [{ limits: [3] }, /limits\[0\]\.type/],
    [{ limits: [{ ...whole, cacheSize: -1 }] }, /limits\[0\]\.cacheSize must not be negative/],
    [{ limits: [{ type: 'Server', burst: 1 }] }, /limits\[0\]\.qps must be positive/],
    [{ limits: [{ ...whole, burst: 0 }] }, /limits\[0\]\.burst must be positive/],
    [{ limits: [{ ...whole, qps: 0.5 }] }, /limits\[0\]\.qps must be a whole number/],
    [{ limits: [{ ...whole, qps: null, cacheSize: null }] }, /limits\[0\]\.qps must be positive/],
    [{ limits: [{ ...whole, cacheSize: null }, { ...whole, qps: '1' }] }, /limits\[1\]\.qps must be a whole number/],
  ];
  for (const [configuration, why] of mistakes) {
    const config = (): unknown => (configuration === undefined ? undefined : { kind: 'Configuration', apiVersion: API_VERSION, ...(configuration as object) });
    assert.throws(() => eventRateLimit.create({ brand, clock: new StillClock(), config } as unknown as AdmissionEnv), why);
  }
});
