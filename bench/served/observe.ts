/** Loaded into the process of a server before its program (`--import`): answers questions about memory, processor time and the event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** How often the loop is looked at; a look that comes later than this was held up. */
const EVERY_MS = 5;

export interface Observed {
  readonly rssMegabytes: number;
  /** Processor time since the last question. */
  readonly cpuUs: number;
  /** Longest time the loop was held up since the last question. */
  readonly longestTurnMs: number;
}

if (process.send !== undefined) {
  const turns = monitorEventLoopDelay({ resolution: EVERY_MS });
  turns.enable();
  let cpu = process.cpuUsage();
  process.on('message', () => {
    const used = process.cpuUsage(cpu);
    const observed: Observed = {
      rssMegabytes: process.memoryUsage.rss() / 1024 / 1024,
      cpuUs: used.user + used.system,
      longestTurnMs: Math.max(0, turns.max / 1e6 - EVERY_MS),
    };
    turns.reset();
    cpu = process.cpuUsage();
    process.send?.(observed);
  });
  // The server must be able to end by itself.
  process.channel?.unref();
}
