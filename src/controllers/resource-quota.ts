import { abortedBy, every, isDeepEqual } from '#base';
import type { ApiObject } from '#api';
import { formatKey, keyOf, parseKey, warnOfFailures, WorkQueue, type ControllerEnv, type Informer, type Running } from '#client';
import { addQuantities, compareQuantities, formatQuantity, ZERO_QUANTITY, type Quantity } from '#schema';
import { addUsage, isInQuota, quotaUsageOf, readUsage, ResourceQuota, type QuotaSubject } from '#kinds';
import { CountedKinds, type CountedKind, type KindName } from './counted-kinds.ts';
import { OpenCharges } from './open-charges.ts';

/** How often the served kinds are discovered, as kube-controller-manager does. */
const REFRESH_MS = 30_000;

/**
 * Maintains the status of quotas: the usage of limited resources. Admission charges new objects; this recounts when objects are deleted or change,
 * and keeps charges whose objects may still arrive. A kind is followed from the moment a quota limits it.
 */
export function startResourceQuota(env: ControllerEnv): Running {
  return new QuotaCounter(env).start();
}

class QuotaCounter {
  readonly #env: ControllerEnv;
  readonly #quotas: Informer<ResourceQuota>;
  readonly #kinds: CountedKinds;
  readonly #charges: OpenCharges;
  readonly #queue: WorkQueue;
  readonly #ending: AbortController;

  constructor(env: ControllerEnv) {
    this.#env = env;
    this.#ending = abortedBy(env.signal);
    this.#quotas = env.inform(ResourceQuota);
    this.#kinds = new CountedKinds({ ...env, signal: this.#ending.signal }, {
      put: (subject, before) => {
        this.#came(subject, before);
        this.#changed(subject.object.metadata.namespace ?? '');
      },
      removed: (namespace) => this.#changed(namespace),
      changed: (kind) => this.#countAll(kind),
    });
    this.#charges = new OpenCharges(env.clock);
    this.#queue = new WorkQueue({
      name: 'resource_quota',
      observer: env.queues,
      clock: env.clock,
      retryClock: env.retryClock,
      workers: 2,
      work: (key) => this.#count(key),
      onFailure: warnOfFailures(env.log, 'the use of a quota cannot be counted yet', (quota) => ({ quota })),
    });
  }

  start(): Running {
    const leave = this.#quotas.listen({
      put: (quota, before) => {
        if (before !== undefined && before.metadata.uid !== quota.metadata.uid) this.#forgetTotals(quota);
        const key = formatKey(keyOf(quota));
        this.#charges.quotaIs(key, readUsage(quota.status.used));
        this.#queue.add(key);
      },
      remove: (quota) => {
        this.#forgetTotals(quota);
        this.#charges.forget(formatKey(keyOf(quota)));
      },
    });
    const stop = (): Promise<void> => {
      leave();
      this.#ending.abort();
      return this.#queue.stop();
    };
    this.#env.signal.addEventListener('abort', () => void stop(), { once: true });
    every(this.#env.clock, REFRESH_MS, () => this.#kinds.refresh(this.#quotas.list().flatMap(namesIn)), this.#ending.signal);
    return { synced: this.#quotas.synced.then(() => this.#queue.start()), stop };
  }

  async #count(text: string): Promise<undefined> {
    const key = parseKey(text);
    const quota = this.#quotas.get(key);
    if (quota === undefined || quota.metadata.deletionTimestamp) return;
    const { hard = {} } = quota.spec;
    const { kinds, failures } = await this.#kinds.follow(namesIn(quota));
    // Counted again when they have been heard of, or that takes too long: no worker waits for a list that may never come.
    if (kinds.some(({ isExpected }) => isExpected)) return;
    const heard = kinds.filter(({ informer }) => informer.isSynced);
    await Promise.all(heard.map(({ totals }) => totals.count(key.namespace, quota.spec, this.#env.clock.nowMs())));
    const amounts = this.#amountsOf(quota, heard);
    if (amounts === undefined) return;
    // What cannot be counted now stays what it was when it could, and holds up nothing else.
    const unheard: readonly KindName[] = [...failures, ...kinds.filter((kind) => !heard.includes(kind))];
    const used = Object.fromEntries(namesIn(quota).flatMap((name) => {
      const amount = unheard.some((kind) => this.#kinds.isNamed(kind, [name])) ? quota.status.used?.[name] : amounts.get(name);
      return amount === undefined ? [] : [[name, amount]];
    }));
    if (!isDeepEqual(quota.status.hard ?? {}, hard) || !isDeepEqual(quota.status.used ?? {}, used)) {
      await this.#env.client.of(ResourceQuota).updateStatus({ ...quota, status: { hard, used } });
    }
    if (failures[0] !== undefined) throw failures[0].cause;
  }

  /** Without waiting: the sums and the charges that are still open must be those of one moment. Undefined: another quota has taken the place of this one. */
  #amountsOf(quota: ResourceQuota, kinds: readonly CountedKind[]): ReadonlyMap<string, string> | undefined {
    const key = keyOf(quota);
    const sum = new Map<string, Quantity>();
    for (const { totals } of kinds) {
      const own = totals.of(key.namespace, quota.spec, this.#env.clock.nowMs());
      if (own === undefined) return undefined;
      addUsage(sum, own);
    }
    return new Map(namesIn(quota).flatMap((name) => {
      const amount = sum.get(name) ?? (kinds.some((kind) => this.#kinds.isNamed(kind, [name])) ? ZERO_QUANTITY : undefined);
      return amount === undefined ? [] : [[name, formatQuantity(this.#withOpen(formatKey(key), name, amount))]];
    }));
  }

  /** The counted amount plus open charges that may still arrive; recounted when they no longer can. */
  #withOpen(key: string, name: string, amount: Quantity): Quantity {
    const { used, open, settlesInMs } = this.#charges.of(key);
    const charged = used.get(name) ?? ZERO_QUANTITY;
    const coming = open.get(name) ?? ZERO_QUANTITY;
    if (coming.mantissa <= 0n || compareQuantities(charged, amount) <= 0) return amount;
    this.#queue.addAfter(key, settlesInMs);
    const expected = addQuantities(amount, coming);
    return compareQuantities(expected, charged) < 0 ? expected : charged;
  }

  #came(subject: QuotaSubject, before: ApiObject | undefined): void {
    const context = { brand: this.#env.client.brand, nowMs: this.#env.clock.nowMs() };
    const concerned = this.#quotas.list(subject.object.metadata.namespace ?? '').filter(({ spec }) => isInQuota(spec, subject, context));
    if (concerned.length === 0) return;
    const usage = quotaUsageOf(subject, context);
    const usageBefore = before && quotaUsageOf({ ...subject, object: before }, context);
    for (const quota of concerned) this.#charges.came(formatKey(keyOf(quota)), usage, usageBefore);
  }

  #forgetTotals({ metadata: { namespace = '' } }: ResourceQuota): void {
    const specs = this.#quotas.list(namespace).map(({ spec }) => spec);
    for (const { totals } of this.#kinds.all()) totals.keep(namespace, specs);
  }

  #changed(namespace: string): void {
    for (const quota of this.#quotas.list(namespace)) this.#queue.add(formatKey(keyOf(quota)));
  }

  #countAll(kind: KindName): void {
    for (const quota of this.#quotas.list()) if (this.#kinds.isNamed(kind, namesIn(quota))) this.#queue.add(formatKey(keyOf(quota)));
  }
}

const namesIn = ({ spec }: ResourceQuota): readonly string[] => Object.keys(spec.hard ?? {});
