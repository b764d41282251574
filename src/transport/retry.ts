import type { Clock } from '#base';

/** How often something is tried, and with which pauses. */
export interface RetryPlan {
  readonly clock: Clock;
  /** The pause before the second attempt. */
  readonly firstDelayMs: number;
  /** Each further pause is so many times as long. */
  readonly factor: number;
  /** In all. */
  readonly attempts: number;
  /** Which failures may go away by themselves. */
  readonly isPassing: (failure: unknown) => boolean;
  /** Ends the pauses. */
  readonly signal?: AbortSignal;
}

/** Runs until it succeeds, fails for good, or there are no attempts left. Throws what the last attempt threw. */
export async function retrying<T>(run: () => Promise<T>, plan: RetryPlan): Promise<T> {
  let delayMs = plan.firstDelayMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (failure) {
      if (attempt >= plan.attempts || plan.signal?.aborted === true || !plan.isPassing(failure)) throw failure;
    }
    await pause(plan.clock, delayMs, plan.signal);
    delayMs *= plan.factor;
  }
}

/** Ends early, and not by throwing, when the signal aborts. */
function pause(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      cancel();
      signal?.removeEventListener('abort', stop);
      resolve();
    };
    const cancel = clock.after(ms, stop);
    signal?.addEventListener('abort', stop);
  });
}
