import { steady, type Clock } from '#base';
import { addUsage, usageDifference, type Usage } from '#kinds';
import { negateQuantity, type Quantity } from '#schema';

/**
 * A charged object may still be on its way to the store, on any server. After this time without charges and arrivals, a missing one is given up. Many
 * times the duration of a write.
 */
const SETTLED_MS = 2_000;

interface Account {
  readonly used: Usage;
  /** Charges minus arrivals. */
  readonly open: Map<string, Quantity>;
  readonly atMs: number;
}

const EMPTY: Usage = new Map();

/**
 * Charges to quotas whose objects were not seen in the store yet. A recount that dropped them would give their share to other objects while they are
 * being written.
 */
export class OpenCharges {
  readonly #clock: Clock;
  readonly #accounts = new Map<string, Account>();

  constructor(clock: Clock) {
    this.#clock = steady(clock);
  }

  /** Observes a quota: what its used amount grew by was charged. */
  quotaIs(key: string, used: Usage): void {
    const more = growth(used, this.#accounts.get(key)?.used ?? EMPTY);
    if (more.size > 0) this.#turn(key, used, more);
    else this.#accounts.set(key, { ...this.#present(key), used });
  }

  /** Observes an object that was created or has grown, with its usage before. */
  came(key: string, now: Usage, before: Usage = EMPTY): void {
    const paid = new Map([...growth(now, before)].map(([name, amount]) => [name, negateQuantity(amount)]));
    if (paid.size > 0) this.#turn(key, this.#present(key).used, paid);
  }

  forget(key: string): void {
    this.#accounts.delete(key);
  }

  /** The used amount of a quota, what of it may still arrive, and how long that may take. */
  of(key: string): { readonly used: Usage; readonly open: Usage; readonly settlesInMs: number } {
    const { used, open, atMs } = this.#present(key);
    return { used, open, settlesInMs: Math.max(0, atMs + SETTLED_MS - this.#clock.nowMs()) };
  }

  #turn(key: string, used: Usage, change: Usage): void {
    const { open } = this.#present(key);
    addUsage(open, change);
    this.#accounts.set(key, { used, open, atMs: this.#clock.nowMs() });
  }

  #present(key: string): Account {
    const known = this.#accounts.get(key);
    if (known === undefined) return { used: EMPTY, open: new Map(), atMs: -Infinity };
    return this.#clock.nowMs() < known.atMs + SETTLED_MS ? known : { used: known.used, open: new Map(), atMs: -Infinity };
  }
}

const growth = (now: Usage, before: Usage): Usage => new Map([...usageDifference(now, before)].filter(([, { mantissa }]) => mantissa > 0n));
