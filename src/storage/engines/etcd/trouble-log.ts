import { seldom } from '#base';
import type { EngineOptions } from '../../driver.ts';
import { ForeignMember } from './continuity.ts';
import { callFailureOf, failureOf } from './failures.ts';

/** How long a call waited, which is different each time. */
const DURATION = / within [\d.]+s/;

/**
 * Logs why calls of etcd fail, since clients are told only to try again: the same reason once in ten minutes, and then once that etcd answers again.
 */
export class TroubleLog {
  readonly #log: EngineOptions['log'];
  readonly #isDue: (reason: string) => boolean;
  #isTold = false;

  constructor({ log, clock }: Pick<EngineOptions, 'log' | 'clock'>) {
    this.#log = log;
    this.#isDue = seldom(clock);
  }

  /** A call has failed, and its caller is told. */
  failed(error: unknown): void {
    const kind = callFailureOf(error);
    if ((kind !== 'member' && kind !== 'final') || error instanceof ForeignMember) return;
    const { code, message } = failureOf(error, 'a call failed');
    if (code !== 'unavailable' && code !== 'full') return;
    if (!this.#isDue(message.replace(DURATION, ''))) return;
    // An etcd without space answers reads, so that an answer says nothing about it.
    if (code === 'full') return this.#log('etcd takes no writes just now', { cause: message });
    this.#isTold = true;
    this.#log('etcd cannot be used just now', { cause: message });
  }

  /** A call was answered. */
  answered(): void {
    if (!this.#isTold) return;
    this.#isTold = false;
    this.#log('etcd answers again');
  }
}
