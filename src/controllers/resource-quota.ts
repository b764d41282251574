import { formatKey, keyOf, openInformer, parseKey, withoutManagedFields, WorkQueue, type ControllerEnv, type Informer, type Running } from '#client';
import { isDeepEqual } from '#base';
import type { ApiObject } from '#api';
import { addQuantities, compareQuantities, formatQuantity, type Quantity } from '#schema';
import { addUsage, countedBy, isInQuota, isQuotaNameOf, PersistentVolumeClaim, Pod, quotaUsageOf, readUsage, ResourceQuota, Service, type QuotaSubject } from '#kinds';
import { OpenCharges } from './open-charges.ts';
import { QuotaTotals } from './quota-totals.ts';

/** Core kinds that count for more than their number: their informers keep whole objects, as no other controller needs them. */
const WHOLE_KINDS = [Pod, Service, PersistentVolumeClaim] as const;

interface Counted {
  readonly group: string;
  readonly plural: string;
  readonly informer: Informer;
  readonly totals: QuotaTotals;
}

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
  readonly #counted = new Map<string, Counted>();
  readonly #charges: OpenCharges;
  readonly #queue: WorkQueue;

  constructor(env: ControllerEnv) {
    this.#env = env;
    this.#quotas = env.inform(ResourceQuota);
    this.#charges = new OpenCharges(env.clock);
    this.#queue = new WorkQueue({
      name: 'resource_quota',
      observer: env.queues,
      clock: env.clock,
      retryClock: env.retryClock,
      workers: 2,
      work: (key) => this.#count(key),
      onFailure: (quota, cause, failures) => env.log.warn('the use of a quota cannot be counted yet', { quota, failures, cause }),
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
      return this.#queue.stop();
    };
    this.#env.signal.addEventListener('abort', () => void stop(), { once: true });
    return { synced: this.#quotas.synced.then(() => this.#queue.start()), stop };
  }

  async #count(text: string): Promise<undefined> {
    const key = parseKey(text);
    const quota = this.#quotas.get(key);
    if (quota === undefined || quota.metadata.deletionTimestamp) return;
    const { hard = {} } = quota.spec;
    const counted = await this.#follow(Object.keys(hard));
    await Promise.all(counted.map(({ informer }) => informer.synced));
    const { clock } = this.#env;
    await Promise.all(counted.map(({ totals }) => totals.count(key.namespace, quota.spec, clock.nowMs())));
    // From here on without waiting: the sum and the charges that are still open must be those of one moment.
    const sum = new Map<string, Quantity>();
    for (const { totals } of counted) {
      const own = totals.of(key.namespace, quota.spec, clock.nowMs());
      // Another quota has taken the place of this one, and is counted itself.
      if (own === undefined) return;
      addUsage(sum, own);
    }
    const used = Object.fromEntries(Object.keys(hard).flatMap((name) => {
      const amount = sum.get(name) ?? (counted.some(({ group, plural }) => isQuotaNameOf(group, plural, name, this.#env.client.brand)) ? ZERO : undefined);
      return amount === undefined ? [] : [[name, formatQuantity(this.#withOpen(text, name, amount))]];
    }));
    if (isDeepEqual(quota.status.hard ?? {}, hard) && isDeepEqual(quota.status.used ?? {}, used)) return;
    await this.#env.client.of(ResourceQuota).updateStatus({ ...quota, status: { hard, used } });
  }

  /** The counted amount plus open charges that may still arrive; recounted when they no longer can. */
  #withOpen(key: string, name: string, amount: Quantity): Quantity {
    const { used, open, settlesInMs } = this.#charges.of(key);
    const charged = used.get(name) ?? ZERO;
    const coming = open.get(name) ?? ZERO;
    if (coming.mantissa <= 0n || compareQuantities(charged, amount) <= 0) return amount;
    this.#queue.addAfter(key, settlesInMs);
    const expected = addQuantities(amount, coming);
    return compareQuantities(expected, charged) < 0 ? expected : charged;
  }

  /** The counters for the resource names of a quota, whose kinds are followed from now on. */
  async #follow(names: readonly string[]): Promise<readonly Counted[]> {
    const { brand } = this.#env.client;
    const wanted = WHOLE_KINDS.filter(({ plural }) => names.some((name) => isQuotaNameOf('', plural, name, brand)));
    const all = wanted.map((kind) => this.#open('', kind.plural, () => this.#openWhole(kind as typeof Pod)));
    for (const { group, plural } of names.flatMap((name) => countedBy(name) ?? [])) {
      if (all.some((one) => one.group === group && one.plural === plural)) continue;
      const counted = this.#counted.get(`${group}/${plural}`) ?? (await this.#openCount(group, plural));
      if (counted !== undefined) all.push(counted);
    }
    return all;
  }

  #open(group: string, plural: string, open: () => Informer): Counted {
    const name = `${group}/${plural}`;
    const known = this.#counted.get(name);
    if (known !== undefined) return known;
    const informer = open();
    const totals = new QuotaTotals({ group, plural, informer, brand: this.#env.client.brand });
    const counted: Counted = { group, plural, informer, totals };
    this.#counted.set(name, counted);
    informer.listen({
      put: (object, before) => {
        totals.changed(object.metadata.namespace ?? '', object, before);
        this.#came({ group, plural, object }, before);
        this.#changed(object.metadata.namespace ?? '');
      },
      remove: ({ metadata: { namespace = '' } }, before) => {
        totals.changed(namespace, undefined, before);
        this.#changed(namespace);
      },
    });
    return counted;
  }

  #openWhole(kind: typeof Pod): Informer {
    return openInformer(this.#env.client.of(kind), { ...this.#env, keep: withoutManagedFields });
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
    for (const { totals } of this.#counted.values()) totals.keep(namespace, specs);
  }

  #changed(namespace: string): void {
    for (const quota of this.#quotas.list(namespace)) this.#queue.add(formatKey(keyOf(quota)));
  }

  /** The counter for a resource; undefined: it is not served, so that there is nothing to count. */
  async #openCount(group: string, plural: string): Promise<Counted | undefined> {
    const { client } = this.#env;
    const { resources } = await client.discover();
    const resource = resources.find((one) => one.group === group && one.plural === plural && one.isNamespaced && one.verbs.includes('watch'));
    return resource === undefined ? undefined : this.#open(group, plural, () => openInformer(client.metadataAt(resource), this.#env));
  }
}

const ZERO: Quantity = { mantissa: 0n, exponent: 0, form: 'decimal' };
