/** Time, so that tests can turn it. */
export interface Clock {
  nowMs(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels. Pending timers do not keep the process alive. */
  after(delayMs: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
