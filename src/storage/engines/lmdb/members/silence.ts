import type { Clock } from '#base';
import { whenLong } from '../long-wait.ts';

export interface SilenceOptions {
  readonly clock: Clock;
  /** Whether something that was asked for is waited for. */
  readonly isWaiting: () => boolean;
  /** Called when it has been, for long, with nothing heard; and not again before something is. */
  readonly tell: () => void;
}

/** Notices that another process does not answer. Costs no timer for each thing that it is asked for. */
export class Silence {
  readonly #options: SilenceOptions;
  #isLooking = false;
  #isHeard = false;
  #isTold = false;

  constructor(options: SilenceOptions) {
    this.#options = options;
  }

  asked(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#isHeard = false;
    whenLong(() => this.#look(), this.#options.clock);
  }

  heard(): void {
    this.#isHeard = true;
    this.#isTold = false;
  }

  #look(): void {
    this.#isLooking = false;
    if (!this.#options.isWaiting()) return;
    if (!this.#isHeard && !this.#isTold) {
      this.#isTold = true;
      this.#options.tell();
    }
    this.asked();
  }
}
