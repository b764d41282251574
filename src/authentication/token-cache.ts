import { createHmac, randomBytes } from 'node:crypto';
import { GenerationCache, steady, type Clock } from '#base';

interface Entry<V> {
  readonly value: V;
  readonly untilMs: number;
  readonly weight: number;
}

/** In characters of JSON: whoever issues a token or reviews it decides how much it says about its user. */
const MAX_WEIGHT = 16 * 1024 * 1024;
/** Overhead of an entry beside its value. */
const WEIGHT_OF_ENTRY = 1024;

/**
 * Caches results about tokens, which are plain data, up to a bound in memory. Keyed by an HMAC under a random key of this cache: no token is kept in
 * clear, and nobody outside can predict the keys.
 */
export class TokenCache<V> {
  readonly #clock: Clock;
  readonly #lifeOf: (value: V) => number;
  readonly #key = randomBytes(32);
  readonly #entries = new GenerationCache<string, Entry<V>>(MAX_WEIGHT, ({ weight }) => weight);
  readonly #running = new Map<string, Promise<V>>();

  /** `lifeOf`: for how many milliseconds a result is kept; 0: not at all. */
  constructor(clock: Clock, lifeOf: (value: V) => number) {
    this.#clock = steady(clock);
    this.#lifeOf = lifeOf;
  }

  /** The cache key of a token in a question about these audiences. */
  keyOf(token: string, audiences: readonly string[] = []): string {
    return createHmac('sha256', this.#key).update(JSON.stringify([token, ...audiences])).digest('base64');
  }

  /** The cached value, or that of `find`. Concurrent calls share one `find`. Failures are not cached. */
  async remember(key: string, find: () => Promise<V>): Promise<V> {
    const entry = this.#entries.get(key);
    if (entry !== undefined && this.#clock.nowMs() < entry.untilMs) return entry.value;
    return this.#running.get(key) ?? this.#find(key, find);
  }

  #find(key: string, find: () => Promise<V>): Promise<V> {
    const running = find()
      .then((value) => {
        const lifeMs = this.#lifeOf(value);
        if (lifeMs > 0) this.#entries.set(key, { value, untilMs: this.#clock.nowMs() + lifeMs, weight: weightOf(value) });
        return value;
      })
      .finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return running;
  }
}

const weightOf = (value: unknown): number => WEIGHT_OF_ENTRY + JSON.stringify(value).length;
