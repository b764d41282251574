import type { ApiObject, Follower, ObjectKey } from '#api';
import { deferred, type Clock } from '#base';

/** The service account that a controller creates in every namespace. */
export const DEFAULT_ACCOUNT = 'default';
/** Long enough for a running controller; short enough for a client to be refused soon where there is none. */
const PATIENCE_MS = 1500;

/** Waits for default service accounts: a client that creates a namespace and then a pod in it is often faster than the controller. */
export class Arrivals implements Follower {
  readonly #clock: Clock;
  readonly #awaited = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  put({ metadata: { name, namespace = '' } }: ApiObject): void {
    if (name === DEFAULT_ACCOUNT) this.#awaited.get(namespace)?.forEach((wake) => wake());
  }

  remove(_key: ObjectKey): void {}

  /**
   * The result of `look` once the default account of the namespace is stored; undefined: it was not stored within a second and a half, or the signal
   * was aborted. Also looks at the beginning: the account may have been stored during the look-up before.
   */
  async next<T>(namespace: string, look: () => Promise<T | undefined>, signal: AbortSignal): Promise<T | undefined> {
    const { promise, resolve } = deferred<undefined>();
    const wake = (): void => resolve(undefined);
    const waiting = this.#awaited.get(namespace) ?? new Set();
    this.#awaited.set(namespace, waiting.add(wake));
    const cancel = this.#clock.after(PATIENCE_MS, wake);
    signal.addEventListener('abort', wake, { once: true });
    try {
      const early = await look();
      if (early !== undefined || signal.aborted) return early;
      await promise;
      return await look();
    } finally {
      cancel();
      signal.removeEventListener('abort', wake);
      waiting.delete(wake);
      if (waiting.size === 0) this.#awaited.delete(namespace);
    }
  }
}
