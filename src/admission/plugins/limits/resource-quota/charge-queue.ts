import { setImmediate, deferred, type Deferred } from '#base';
import { addUsage, type ResourceQuota, type Usage } from '#kinds';
import { formatQuantity, negateQuantity, type Quantity } from '#schema';
import type { NamespacedObjects } from '../../../namespaced-objects.ts';
import type { AdmissionEnv } from '../../../plugin.ts';
import { openAccount, shareOf, type Account } from './account.ts';
import { concerns, type Charge } from './charge.ts';
import { whyNotCovered, whyNotInQuota, whyNotMatched, whyNotMeasured } from './refusals.ts';

interface Waiting {
  readonly charge: Charge;
  readonly answer: Deferred<void>;
}

const QUOTA = { group: '', kind: 'ResourceQuota' };

/**
 * Adds the usage of requests to the status of quotas, in order of arrival within a namespace, by group commit: one write of a quota's status serves
 * all pending charges. The more requests arrive at once, the fewer writes each of them costs.
 */
export class ChargeQueue {
  readonly #env: AdmissionEnv;
  readonly #quotas: NamespacedObjects<ResourceQuota>;
  /** Pending charges, by namespace; a queue exists while `#serve` works on it. */
  readonly #queues = new Map<string, Waiting[]>();

  constructor(env: AdmissionEnv, quotas: NamespacedObjects<ResourceQuota>) {
    this.#env = env;
    this.#quotas = quotas;
  }

  /** Resolves when the status of every quota that counts the usage includes it. Rejects with the refusal of the first quota that is exceeded. */
  pay(charge: Charge): Promise<void> {
    const { namespace } = charge.request;
    const answer = deferred<void>();
    const queue = this.#queues.get(namespace);
    if (queue === undefined) {
      this.#queues.set(namespace, [{ charge, answer }]);
      void this.#serve(namespace);
    } else {
      queue.push({ charge, answer });
    }
    return answer.promise;
  }

  async #serve(namespace: string): Promise<void> {
    for (;;) {
      // Requests that arrive in the same turn of the event loop share a write.
      await new Promise(setImmediate);
      const batch = this.#queues.get(namespace)?.splice(0) ?? [];
      if (batch.length === 0) {
        this.#queues.delete(namespace);
        return;
      }
      await this.#settle(namespace, batch);
    }
  }

  async #settle(namespace: string, batch: readonly Waiting[]): Promise<void> {
    const refusals = new Map<Charge, Error>();
    try {
      await this.#charge(namespace, batch.map(({ charge }) => charge), refusals);
    } catch (cause) {
      for (const { answer } of batch) answer.reject(cause as Error);
      return;
    }
    for (const { charge, answer } of batch) {
      const refusal = refusals.get(charge);
      if (refusal === undefined) answer.resolve();
      else answer.reject(refusal);
    }
  }

  async #charge(namespace: string, all: readonly Charge[], refusals: Map<Charge, Error>): Promise<void> {
    const quotas = this.#quotas.in(namespace);
    this.#lookAt(quotas, all, refusals);
    const paid: { readonly name: string; readonly charges: readonly Charge[] }[] = [];
    for (const { metadata } of quotas) {
      const name = metadata.name ?? '';
      const wanted = all.filter((charge) => !refusals.has(charge) && !charge.request.dryRun && charge.usage.size > 0);
      paid.push({ name, charges: await this.#write(namespace, name, wanted, refusals) });
    }
    await this.#giveBack(namespace, paid, refusals);
  }

  /** Checks the charges against all cached quotas before any quota is written, so that few charges have to be reverted. */
  #lookAt(quotas: readonly ResourceQuota[], all: readonly Charge[], refusals: Map<Charge, Error>): void {
    const accounts = quotas.map(openAccount);
    for (const charge of all) {
      const counting = accounts.filter(({ quota }) => concerns(quota, charge, this.#env));
      const first = (why: typeof whyNotInQuota): Error | undefined => counting.map((account) => why(charge, account, this.#env)).find((one) => one !== undefined);
      const refusal = whyNotMatched(charge, quotas) ?? first(whyNotMeasured) ?? whyNotCovered(charge, quotas, this.#env) ?? first(whyNotInQuota);
      if (refusal !== undefined) refusals.set(charge, refusal);
      else if (!charge.request.dryRun) for (const account of counting) addUsage(account.used, shareOf(charge, account));
    }
  }

  /** Charges the latest stored quota. Returns the charges that it accepted, and adds the others to `refusals`. */
  async #write(namespace: string, name: string, wanted: readonly Charge[], refusals: Map<Charge, Error>): Promise<readonly Charge[]> {
    const known = this.#quotas.in(namespace).find(({ metadata }) => metadata.name === name);
    if (known === undefined || !wanted.some((charge) => concerns(known, charge, this.#env))) return [];
    let refused = new Map<Charge, Error>();
    let charged: readonly Charge[] = [];
    await this.#env.objects.update(
      QUOTA,
      { namespace, name },
      (live) => {
        // Called again after a conflict, with the quota that the other writer stored.
        refused = new Map();
        const account = openAccount(live as ResourceQuota);
        charged = this.#tryOn(account, wanted, refused);
        return charged.length === 0 ? undefined : withUsed(account);
      },
      'status',
    );
    for (const [charge, refusal] of refused) refusals.set(charge, refusal);
    return charged;
  }

  /** Charges, one after the other, what fits into the quota. Returns the charges that fit and are counted. */
  #tryOn(account: Account, wanted: readonly Charge[], refusals: Map<Charge, Error>): readonly Charge[] {
    const charged: Charge[] = [];
    for (const charge of wanted) {
      if (!concerns(account.quota, charge, this.#env)) continue;
      const refusal = whyNotMeasured(charge, account, this.#env) ?? whyNotInQuota(charge, account, this.#env);
      if (refusal !== undefined) {
        refusals.set(charge, refusal);
        continue;
      }
      const share = shareOf(charge, account);
      if (share.size === 0) continue;
      charged.push(charge);
      addUsage(account.used, share);
    }
    return charged;
  }

  /** Reverts charges of earlier quotas where a later quota, which changed concurrently, refused the request. */
  async #giveBack(namespace: string, paid: readonly { readonly name: string; readonly charges: readonly Charge[] }[], refusals: ReadonlyMap<Charge, Error>): Promise<void> {
    for (const { name, charges } of paid) {
      const refused = charges.filter((charge) => refusals.has(charge));
      if (refused.length === 0) continue;
      await this.#env.objects.update(
        QUOTA,
        { namespace, name },
        (live) => {
          const account = openAccount(live as ResourceQuota);
          for (const charge of refused) addUsage(account.used, negated(shareOf(charge, account)));
          return withUsed(account);
        },
        'status',
      );
    }
  }
}

const negated = (usage: Usage): Usage => new Map([...usage].map(([name, amount]): [string, Quantity] => [name, negateQuantity(amount)]));

/** The quota with the usage of the account in its status. Changes the quota. */
function withUsed({ quota, used }: Account): ResourceQuota {
  quota.status.used = Object.fromEntries([...used].map(([name, amount]) => [name, formatQuantity(amount)]));
  return quota;
}
