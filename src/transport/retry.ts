import { wait, type Clock } from '#base';

/** Number of attempts, and the delays between them. */
export interface RetryPlan {
  readonly clock: Clock;
  /** The delay before the second attempt. */
  readonly firstDelayMs: number;
  /** The factor by which each further delay grows. */
  readonly factor: number;
  /** Attempts in all. */
  readonly attempts: number;
  /** Whether a failure is transient. */
  readonly isPassing: (failure: unknown) => boolean;
  /** Ends the delays. */
  readonly signal?: AbortSignal;
}

/** Runs until it succeeds, fails permanently, or no attempts are left. Throws what the last attempt threw. */
export async function retrying<T>(run: () => Promise<T>, plan: RetryPlan): Promise<T> {
  let delayMs = plan.firstDelayMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (failure) {
      if (attempt >= plan.attempts || plan.signal?.aborted === true || !plan.isPassing(failure)) throw failure;
    }
    await wait(plan.clock, delayMs, plan.signal);
    delayMs *= plan.factor;
  }
}
