import type { HealthCheck } from '#http';

/** What `/livez` and `/readyz` look at. @spec 4.13 */
export class Readiness {
  #isStarted = false;
  #isStopping = false;

  started(): void {
    this.#isStarted = true;
  }

  stopping(): void {
    this.#isStopping = true;
  }

  /** In the order they are shown. */
  readonly checks: readonly HealthCheck[] = [
    { name: 'ping', check: () => undefined },
    { name: 'log', check: () => undefined },
    { name: 'etcd', check: () => undefined },
    { name: 'poststarthook/bootstrap-objects', check: () => (this.#isStarted ? undefined : 'not finished') },
    { name: 'shutdown', only: 'readyz', check: () => (this.#isStopping ? 'process is shutting down' : undefined) },
  ];
}
