import { steady, systemClock, type Clock } from '#base';
import type { Waiting } from '../../driver.ts';
import { HELD_LONG_MS } from './limits.ts';

/** Calls `tell` when somebody has waited long for another process; the returned function ends the wait. */
export const whenLong = (tell: () => void, clock: Clock = systemClock): (() => void) => steady(clock).after(HELD_LONG_MS, tell);

/**
 * A wait for other processes, in steps that may come again and again: there is no time limit, since a process may be suspended and go on later. Where it
 * takes long, tells once what is waited for at that moment.
 */
export class LongWait {
  readonly waiting: Waiting;
  #what = '';
  #cancel: (() => void) | undefined;

  constructor(waiting: Waiting) {
    this.waiting = waiting;
  }

  /** Ends the wait. */
  get stop(): AbortSignal | undefined {
    return this.waiting.stop;
  }

  /** What is waited for from now on. The time counts from the first step on. */
  for(what: string): void {
    this.#what = what;
    this.#cancel ??= whenLong(() => this.waiting.tell?.(`still waiting: ${this.#what}`), this.waiting.clock);
  }

  /** It is over, or goes on with something else that has its own time. */
  over(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
