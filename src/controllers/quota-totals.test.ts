import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countTurns } from '#base';
import { brandOf, type ApiObject } from '#api';
import { formatQuantity } from '#schema';
import { QuotaTotals } from './quota-totals.ts';

type Spec = Parameters<QuotaTotals['of']>[1];

const NOW = Date.parse('2030-01-01T00:00:00Z');
const ALL: Spec = { hard: { pods: '9', 'requests.cpu': '9' } };
const SHORT: Spec = { ...ALL, scopes: ['Terminating'] };

const pod = (name: string, cpu: string, { spec, ...metadata }: { readonly spec?: object; readonly deletionTimestamp?: string; readonly deletionGracePeriodSeconds?: number } = {}): ApiObject =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, ...metadata }, spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...spec }, status: {} }) as unknown as ApiObject;

/** A namespace of pods, and the sums of it. */
class Pods {
  readonly totals: QuotaTotals;
  readonly #objects = new Map<string, ApiObject>();
  #listed = 0;

  constructor(...pods: readonly ApiObject[]) {
    for (const one of pods) this.#objects.set(one.metadata.name ?? '', one);
    const list = (): readonly never[] => {
      this.#listed += 1;
      return [...this.#objects.values()] as never[];
    };
    this.totals = new QuotaTotals({ group: '', plural: 'pods', informer: { list }, brand: brandOf('orch') });
  }

  /** How often all objects were asked for. */
  get listed(): number {
    return this.#listed;
  }

  put(now: ApiObject): void {
    const name = now.metadata.name ?? '';
    const before = this.#objects.get(name);
    this.#objects.set(name, now);
    this.totals.changed('n', now, before);
  }

  remove(name: string): void {
    const last = this.#objects.get(name);
    this.#objects.delete(name);
    this.totals.changed('n', undefined, last);
  }

  /** The same objects, not counted yet. */
  anew(): Pods {
    return new Pods(...this.#objects.values());
  }

  sum(spec: Spec, nowMs = NOW): readonly string[] {
    const usage = this.totals.of('n', spec, nowMs);
    return ['pods', 'requests.cpu'].map((name) => {
      const amount = usage?.get(name);
      return amount === undefined ? '0' : formatQuantity(amount);
    });
  }
}

test('a sum is made once for all quotas of the same scopes, and follows what comes, changes and goes', async () => {
  const pods = new Pods(pod('a', '1'), pod('b', '500m', { spec: { activeDeadlineSeconds: 5 } }));
  for (const spec of [ALL, SHORT, { ...ALL, hard: { pods: '3' } }, SHORT]) await pods.totals.count('n', spec, NOW);
  assert.deepEqual([pods.sum(ALL), pods.sum(SHORT)], [['2', '1500m'], ['1', '500m']]);
  pods.put(pod('c', '2'));
  pods.put(pod('a', '3'));
  pods.put(pod('b', '500m'));
  assert.deepEqual([pods.sum(ALL), pods.sum(SHORT)], [['3', '5500m'], ['0', '0']]);
  pods.remove('a');
  assert.deepEqual(pods.sum(ALL), ['2', '2500m']);
  assert.equal(pods.listed, 2);
});

test('what comes and goes while a long namespace is counted is in the sum, and others get turns meanwhile', async () => {
  const many = Array.from({ length: 20_000 }, (_, at) => pod(`p${at}`, '1m'));
  const pods = new Pods(...many);
  const counted = countTurns(() => pods.totals.count('n', ALL, NOW));
  pods.remove('p0');
  pods.remove('p19999');
  pods.put(pod('p19998', '2m'));
  pods.put(pod('new', '1'));
  assert.ok((await counted) > 2);
  assert.deepEqual(pods.sum(ALL), ['19999', '20999m']);
});

test('a pod takes nothing once its time of grace is over, and is not taken off again when it goes', async () => {
  const ends = { deletionTimestamp: '2030-01-01T00:00:10Z', deletionGracePeriodSeconds: 30 };
  const pods = new Pods(pod('a', '1'), pod('b', '2', ends));
  await pods.totals.count('n', ALL, NOW);
  assert.deepEqual(pods.sum(ALL, NOW + 40_000), ['2', '3']);
  assert.deepEqual(pods.sum(ALL, NOW + 40_001), ['1', '1']);
  pods.put(pod('a', '1', ends));
  assert.deepEqual(pods.sum(ALL, NOW + 40_002), ['0', '0']);
  pods.remove('b');
  pods.remove('a');
  pods.put(pod('c', '4'));
  assert.deepEqual(pods.sum(ALL, NOW + 40_003), ['1', '4']);
});

test('sums that no quota needs are forgotten', async () => {
  const pods = new Pods(pod('a', '1'));
  for (const spec of [ALL, SHORT]) await pods.totals.count('n', spec, NOW);
  pods.totals.keep('n', [ALL]);
  assert.deepEqual([pods.totals.of('n', SHORT, NOW), pods.sum(ALL)], [undefined, ['1', '1']]);
  pods.totals.keep('n', []);
  assert.equal(pods.totals.of('n', ALL, NOW), undefined);
});

const step = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  change: fc.option(fc.record({ cpu: fc.integer({ min: 1, max: 9 }), isShort: fc.boolean(), graceSeconds: fc.option(fc.nat(90)) })),
  secondsPassed: fc.nat(20),
});

test('however objects change and time goes on, a sum is what counting them anew gives', () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      const pods = new Pods(pod('a', '1'));
      for (const spec of [ALL, SHORT]) await pods.totals.count('n', spec, NOW);
      let nowMs = NOW;
      for (const { name, change, secondsPassed } of steps) {
        nowMs += secondsPassed * 1000;
        if (change === null) pods.remove(name);
        else {
          const ends = change.graceSeconds === null ? {} : { deletionTimestamp: new Date(nowMs).toISOString(), deletionGracePeriodSeconds: change.graceSeconds };
          pods.put(pod(name, String(change.cpu), { ...ends, ...(change.isShort ? { spec: { activeDeadlineSeconds: 5 } } : {}) }));
        }
        const anew = pods.anew();
        for (const spec of [ALL, SHORT]) {
          await anew.totals.count('n', spec, nowMs);
          assert.deepEqual(pods.sum(spec, nowMs), anew.sum(spec, nowMs));
        }
      }
    }),
    { numRuns: 200 },
  ));
