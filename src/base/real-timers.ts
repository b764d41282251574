/**
 * Node's own timers. A test that replaces the global ones by fake timers must not stop a server in the same process, and in an environment that
 * emulates a browser the global timers are missing, or return numbers, which have no `unref`.
 */
export const { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = process.getBuiltinModule('node:timers');

/** The time of the system clock in milliseconds since the epoch; kept from replaced globals for the same reason. */
export const { now: realNowMs } = Date;

const { performance } = process.getBuiltinModule('node:perf_hooks');
const elapsedMs = performance.now.bind(performance);
const { timeOrigin } = performance;

/** The system time at the start of the process plus the time elapsed since: monotonic, even if the system clock is set. */
export const realSteadyMs = (): number => timeOrigin + elapsedMs();
