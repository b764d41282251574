import { setTimeout } from '#base';

/** The signals that terminate a process, with its exit code for each. */
const ENDING = { SIGTERM: 143, SIGINT: 130 } as const;
export type EndingSignal = keyof typeof ENDING;

const SIGNALS = Object.keys(ENDING) as readonly EndingSignal[];
/** The exit code of a process that this signal terminated. */
export const endedBy = (signal: EndingSignal): number => ENDING[signal];

/** How long what nobody waits for any more may keep a process that was asked to end. */
const END_LATE_MS = 2_000;

/** The signal that this process was asked to end with; undefined: it was not asked. */
let askedBy: EndingSignal | undefined;

const exitBy = (signal: NodeJS.Signals): never => process.exit(endedBy(signal as EndingSignal));

/** A thread that waits for something, as for the lock of a store, keeps a process from exiting, but not from what a signal does by itself. */
function endAtOnce(signal: NodeJS.Signals): void {
  if (process.pid === 1) exitBy(signal);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** Makes signals terminate a process with PID 1, as in a container: the kernel delivers it only signals that have a handler. */
export function endAtSignals(): void {
  if (process.pid === 1) for (const signal of SIGNALS) process.on(signal, exitBy);
}

/** Resolves to the first SIGTERM or SIGINT after the call; a second one terminates the process at once, as it would without anybody who hears it. */
export function waitForSignal(): Promise<EndingSignal> {
  return new Promise((resolve) => {
    let isFirst = true;
    for (const signal of SIGNALS) {
      process.off(signal, exitBy);
      process.on(signal, () => {
        if (!isFirst) return endAtOnce(signal);
        isFirst = false;
        askToEnd(signal);
        resolve(signal);
      });
    }
  });
}

/** This process is asked to end, as by that signal. */
export function askToEnd(signal: EndingSignal): void {
  askedBy = signal;
}

/**
 * Call it when the command has ended, and all that it has to say is said. A process that was asked to end does so by the signal that asked, where a
 * thread still waits for something, as for the lock of a store that another process holds: it cannot be called off, and would keep this one for ever.
 */
export function endThoughThreadsWait(): void {
  if (askedBy !== undefined) setTimeout(endAtOnce, END_LATE_MS, askedBy).unref();
}
