import { endedBy, waitForSignal, type EndingSignal } from '../ending-signals.ts';

/**
 * Runs work that cleans up when its signal aborts, at the first SIGTERM or SIGINT. Resolves to its exit code, or, where it throws after such a
 * signal, to that of a process that the signal terminated.
 */
export async function untilStopped(work: (stop: AbortSignal) => Promise<number>): Promise<number> {
  const stop = new AbortController();
  let stoppedBy: EndingSignal | undefined;
  void waitForSignal().then((signal) => {
    stoppedBy = signal;
    stop.abort();
  });
  try {
    return await work(stop.signal);
  } catch (cause) {
    if (stoppedBy === undefined) throw cause;
    return endedBy(stoppedBy);
  }
}
