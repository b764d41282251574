/**
 * The timers of Node itself. A test that replaces the global ones to turn the time of its own code must not stop a server in the same process, and
 * an environment that plays a browser has others, or none: their timers are numbers and cannot be let go of.
 */
export const { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } = process.getBuiltinModule('node:timers');

/** What the clock of the machine says, in milliseconds since the epoch, for the same reason. */
export const { now: realNowMs } = Date;
