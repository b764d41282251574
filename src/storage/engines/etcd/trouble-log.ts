import { steady, type Clock } from '#base';
import type { EngineOptions } from '../../engine.ts';
import { ForeignMember } from './continuity.ts';
import { callFailureOf, failureOf } from './failures.ts';

const PERIOD_MS = 600_000;
/** How long a call waited, which is different each time. */
const DURATION = / within [\d.]+s/;

/**
 * Logs why calls of etcd fail, since clients are told only to try again: the same reason once in ten minutes, and then once that etcd answers again.
 */
export class TroubleLog {
  readonly #log: EngineOptions['log'];
  readonly #time: Clock;
  /** When each reason was logged. There are no more of them than members, times what can be wrong with one. */
  readonly #toldAtMs = new Map<string, number>();
  #isTold = false;

  constructor({ log, clock }: Pick<EngineOptions, 'log' | 'clock'>) {
    this.#log = log;
    this.#time = steady(clock);
  }

  /** A call has failed, and its caller is told. */
  failed(error: unknown): void {
    const kind = callFailureOf(error);
    if ((kind !== 'member' && kind !== 'final') || error instanceof ForeignMember) return;
    const { code, message } = failureOf(error, 'a call failed');
    if (code !== 'unavailable') return;
    const reason = message.replace(DURATION, '');
    const nowMs = this.#time.nowMs();
    if (nowMs - (this.#toldAtMs.get(reason) ?? -Infinity) < PERIOD_MS) return;
    this.#toldAtMs.set(reason, nowMs);
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
