import { steady, type Clock } from '#base';
import { addUsage, usageDifference, type Usage } from '#kinds';
import { negateQuantity, type Quantity } from '#schema';

/**
 * What was charged may still be on its way to the store, on any server; what has not come when so long nothing was charged and nothing came any
 * more will not come. Many times what a write takes.
 */
const SETTLED_MS = 2_000;

interface Account {
  readonly used: Usage;
  /** What was charged, less what has come. */
  readonly open: Map<string, Quantity>;
  readonly atMs: number;
}

const EMPTY: Usage = new Map();

/**
 * What was charged to quotas and has not been seen in the store: whoever counts what is there, and takes off what is not, would give the place
 * of those that are on their way to others.
 */
export class OpenCharges {
  readonly #clock: Clock;
  readonly #accounts = new Map<string, Account>();

  constructor(clock: Clock) {
    this.#clock = steady(clock);
  }

  /** A quota as it is now: what is used more than before was charged. */
  quotaIs(key: string, used: Usage): void {
    const more = growth(used, this.#accounts.get(key)?.used ?? EMPTY);
    if (more.size > 0) this.#turn(key, used, more);
    else this.#accounts.set(key, { ...this.#present(key), used });
  }

  /** An object that a quota counts has come, or has grown: from nothing, or from what it counted for before. */
  came(key: string, now: Usage, before: Usage = EMPTY): void {
    const paid = new Map([...growth(now, before)].map(([name, amount]) => [name, negateQuantity(amount)]));
    if (paid.size > 0) this.#turn(key, this.#present(key).used, paid);
  }

  forget(key: string): void {
    this.#accounts.delete(key);
  }

  /** What a quota says is used, what of it may still come, and how long that may take. */
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
