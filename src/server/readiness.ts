import { steady, type Clock } from '#base';
import type { HealthCheck, Probe } from '#http';
import type { Engine } from '#storage';
import { START_STEPS, type StartStep } from './start-steps.table.ts';

export interface ReadinessOptions {
  readonly engine: Pick<Engine, 'head'>;
  readonly clock: Clock;
  /** How long after the start `/livez` ignores steps that are not done. */
  readonly livezGraceMs: number;
}

const STORE_TIMEOUT_MS = 2_000;

/** The state of start and shutdown, for `/livez` and `/readyz`. @spec 4.13 */
export class Readiness {
  readonly #options: ReadinessOptions;
  readonly #startedAtMs: number;
  readonly #done = new Set<StartStep>();
  readonly #absent = new Set<StartStep>();
  #isStopping = false;

  constructor(options: ReadinessOptions) {
    this.#options = options;
    this.#startedAtMs = steady(options.clock).nowMs();
  }

  /** Runs a step of the start. `/readyz` fails until all steps are done. Rejects as the step does. */
  async step<T>(name: StartStep, run: () => Promise<T>): Promise<T> {
    const result = await run();
    this.#done.add(name);
    return result;
  }

  /** Removes steps that this server does not have: no check names them. */
  without(...names: readonly StartStep[]): void {
    for (const name of names) this.#absent.add(name);
  }

  /** Begins the shutdown: `/readyz` fails from now on. */
  stopping(): void {
    this.#isStopping = true;
  }

  /** In the order they are shown. */
  get checks(): readonly HealthCheck[] {
    return [
      { name: 'ping', check: () => undefined },
      { name: 'log', check: () => undefined },
      { name: 'etcd', check: () => this.#checkStore() },
      { name: 'informer-sync', only: 'readyz', check: (probe) => this.#checkStep('poststarthook/generic-apiserver-start-informers', probe) },
      ...START_STEPS.filter((name) => !this.#absent.has(name)).map((name) => ({ name, check: (probe: Probe) => this.#checkStep(name, probe) })),
      { name: 'shutdown', only: 'readyz', check: () => (this.#isStopping ? 'process is shutting down' : undefined) },
    ];
  }

  #checkStep(name: StartStep, probe: Probe): string | undefined {
    if (this.#done.has(name)) return undefined;
    const { clock, livezGraceMs } = this.#options;
    const isOverlooked = probe !== 'readyz' && steady(clock).nowMs() < this.#startedAtMs + livezGraceMs;
    return isOverlooked ? undefined : 'not finished';
  }

  /** Whether the store answers, whichever engine it is. */
  #checkStore(): Promise<string | undefined> {
    const { engine, clock } = this.#options;
    return new Promise((resolve) => {
      const cancel = clock.after(STORE_TIMEOUT_MS, () => resolve('the store does not answer'));
      engine.head().then(
        () => resolve(undefined),
        () => resolve('the store cannot be reached'),
      ).finally(cancel);
    });
  }
}
