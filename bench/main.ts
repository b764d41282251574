/**
 * The table of what a user notices: rates, latencies, memory, start time and hold-ups of the built server, each beside what a bare Node
 * server and the bare engine reach in the same run. `--quick` takes less than a minute, `--growth` goes up to 100,000 objects,
 * `--only=<word>` measures the rows whose name contains it.
 */
import { Session } from './served/session.ts';
import { measureApplies } from './served/applies.ts';
import { measureGrowth } from './served/growth.ts';
import { measureMemory } from './served/memory.ts';
import { measureReads } from './served/reads.ts';
import { measureFanOut } from './served/fan-out.ts';
import { measureWrites } from './served/writes.ts';

const flags = new Set(process.argv.slice(2));
const only = process.argv.slice(2).find((flag) => flag.startsWith('--only='))?.slice('--only='.length);
const isQuick = flags.has('--quick');
const startedAt = performance.now();

const session = await Session.open({ seconds: isQuick ? 0.8 : 2.5, warmUpSeconds: isQuick ? 0.4 : 1.5, only });
try {
  await measureReads(session);
  await measureWrites(session);
  await measureApplies(session);
  await measureFanOut(session);
  await measureMemory(session);
  await measureGrowth(session, flags.has('--growth') ? [1_000, 10_000, 100_000] : [1_000, 10_000], isQuick ? 10_000 : 50_000);
} finally {
  await session.close();
}
console.log(`\nlongest hold-up of the server's event loop in all of this: ${session.longestTurnMs.toFixed(0)} ms (bar 50 ms)`);
console.log(`took ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
