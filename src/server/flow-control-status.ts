import type { Brand } from '#api';
import { Retries, type Clock, type Log } from '#base';
import { staleConditions, type FlowClasses, type SchemaCondition } from '#flowcontrol';
import { flowControlVersion } from './bootstrap/make-flow-control.ts';
import type { Loopback } from './loopback.ts';

export interface FlowSchemaStatusOptions {
  readonly classes: FlowClasses;
  readonly brand: Brand;
  readonly loopback: Loopback;
  readonly clock: Clock;
  readonly log: Log;
}

/** Delay after a failed write. */
const RETRY_MS = 5_000;
/** Also fine: the object was deleted meanwhile, or its kind is not served. */
const FINE: readonly number[] = [200, 404];

/** Maintains the `Dangling` condition in the status of flow schemas: whether their priority level exists. */
export class FlowSchemaStatus {
  readonly #options: FlowSchemaStatusOptions;
  readonly #path: string;
  readonly #retries: Retries;
  #signal: AbortSignal | undefined;
  #isWriting = false;
  #isAskedAgain = false;

  constructor(options: FlowSchemaStatusOptions) {
    this.#options = options;
    this.#path = `/apis/${flowControlVersion(options.brand)}/flowschemas`;
    this.#retries = new Retries(options.clock, RETRY_MS);
  }

  /** Maintains the status until the signal aborts. Resolves when all schemas that exist by then have it. */
  async start(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    await this.#write();
  }

  /** A schema or a level has changed. Returns at once. */
  look(): void {
    if (this.#signal === undefined || this.#signal.aborted) return;
    if (this.#isWriting) this.#isAskedAgain = true;
    else void this.#write();
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    // Each write causes another event: a write that changed nothing must not loop.
    let hasFailed = false;
    do {
      this.#isAskedAgain = false;
      const done = await Promise.all(staleConditions(this.#options.classes).map(([name, condition]) => this.#writeOne(name, condition)));
      hasFailed = done.includes(false);
    } while (this.#isAskedAgain && !hasFailed && this.#signal?.aborted === false);
    this.#isWriting = false;
    if (hasFailed) this.#retries.later('', () => this.look());
  }

  async #writeOne(name: string, condition: SchemaCondition): Promise<boolean> {
    const { loopback, clock, log } = this.#options;
    const lastTransitionTime = `${new Date(clock.nowMs()).toISOString().slice(0, 19)}Z`;
    const answer = await loopback({
      method: 'PATCH',
      path: `${this.#path}/${encodeURIComponent(name)}/status`,
      headers: { 'content-type': 'application/strategic-merge-patch+json', accept: 'application/json' },
      body: JSON.stringify({ status: { conditions: [{ ...condition, lastTransitionTime }] } }),
    });
    if (FINE.includes(answer.status) || this.#signal?.aborted === true) return true;
    log.warn('the status of a flow schema could not be written; it is tried again', { name, status: answer.status });
    return false;
  }
}
