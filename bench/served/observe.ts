/** Loaded into the process of a server before its program (`--import`): answers questions about memory, processor time and the event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often the loop is looked at; a look that comes later than this was held up. */
const EVERY_MS = 5;

export interface Observed {
  readonly rssMegabytes: number;
  /** The most there has been since the process began. */
  readonly peakRssMegabytes: number;
  /** Processor time since the last question. */
  readonly cpuUs: number;
  /** Longest time the loop was held up since the last question. */
  readonly longestTurnMs: number;
}

/** What stays when nothing happens any more. */
export interface Settled {
  readonly heapBytes: number;
  /** Held by objects of the heap, outside of it. */
  readonly externalBytes: number;
  readonly rssBytes: number;
}

export type Question = 'observe' | 'settle';

/** Collecting garbage finishes things that in turn become garbage. */
const COLLECTIONS = 4;
const BETWEEN_MS = 60;

async function settle(): Promise<Settled> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let done = 0; done < COLLECTIONS; done++) {
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    collect();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed, externalBytes: external, rssBytes: rss };
}

if (process.send !== undefined) {
  const turns = monitorEventLoopDelay({ resolution: EVERY_MS });
  turns.enable();
  let cpu = process.cpuUsage();
  process.on('message', (question: Question) => {
    if (question === 'settle') return void settle().then((settled) => process.send?.(settled));
    const used = process.cpuUsage(cpu);
    const observed: Observed = {
      rssMegabytes: process.memoryUsage.rss() / 1024 / 1024,
      peakRssMegabytes: process.resourceUsage().maxRSS / 1024,
      cpuUs: used.user + used.system,
      longestTurnMs: Math.max(0, turns.max / 1e6 - EVERY_MS),
    };
    turns.reset();
    cpu = process.cpuUsage();
    process.send?.(observed);
  });
  // The server must be able to end by itself, and a bench that was stopped leaves none behind.
  process.channel?.unref();
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
}
