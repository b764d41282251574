/**
 * The timers of Node itself. A test that replaces the global ones to turn the time of its own code must not stop a server in the same process, and
 * an environment that plays a browser has others, or none: their timers are numbers and cannot be let go of.
 */
export const { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = process.getBuiltinModule('node:timers');

/** What the clock of the machine says, in milliseconds since the epoch, for the same reason. */
export const { now: realNowMs } = Date;

const { performance } = process.getBuiltinModule('node:perf_hooks');
const elapsedMs = performance.now.bind(performance);
const { timeOrigin } = performance;

/** The same when the process began, and from then on only how much time has passed, whatever becomes of the clock of the machine. */
export const realSteadyMs = (): number => timeOrigin + elapsedMs();
