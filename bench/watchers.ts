/**
 * What watches cost the server: idle ones, beside those of a server that only keeps answers open; a steady stream of events for 100 of them,
 * without and with 1,000 others that it does not concern; and those whose clients do not read. Runs for about half a minute.
 */
import { costOfIdle } from './served/idle-watches.ts';
import { plainLine } from './served/report.ts';
import { steadyFanOut } from './served/steady-fan-out.ts';
import { stuckWatches } from './served/stuck-watches.ts';

const KB = 1024;
const MB = 1024 * 1024;
const PROTOCOLS = [
  { protocol: 'h2', title: 'idle watch, HTTP/2, 250 a connection', bar: '20 KB' },
  // The connection alone costs more than that: what we add to it counts.
  { protocol: 'h1', title: 'idle watch, HTTP/1.1, its connection too', bar: '20 KB more than bare' },
] as const;

for (const { protocol, title, bar } of PROTOCOLS) {
  const bare = await costOfIdle(protocol, 'bare');
  const ours = await costOfIdle(protocol, 'ours');
  const [kb = '', bareKb = ''] = [ours, bare].map(({ rssBytes }) => `${(rssBytes / KB).toFixed(1)} KB`);
  console.log(`${plainLine(title, kb, bar)}   bare ${bareKb}; heap ${(ours.heapBytes / KB).toFixed(1)} KB, bare ${(bare.heapBytes / KB).toFixed(1)} KB`);
}

const { asked, measured, aloneUs, besideUnrelatedUs, unrelated, unrelatedBytes, longestTurnMs } = await steadyFanOut();
const rate = `${(measured.count / measured.seconds).toFixed(0)}/s`;
console.log(`${plainLine('events to 100 watches of one namespace', rate, `${asked}/s`)}   p99 ${measured.p99Ms.toFixed(1)} ms; longest hold-up ${longestTurnMs.toFixed(0)} ms`);
const ratio = `× ${(besideUnrelatedUs / aloneUs).toFixed(2)}`;
console.log(`${plainLine(`CPU of an event, ${unrelated} others watching`, ratio, '× 1.1')}   ${aloneUs.toFixed(1)} us without, ${besideUnrelatedUs.toFixed(1)} us with them; they were sent ${unrelatedBytes} bytes`);

const stuck = await stuckWatches();
const held = stuck.heldBytes / stuck.watches / MB;
console.log(`${plainLine('kept for a watch that is not read', `${held.toFixed(1)} MB`, '16 MB')}   ${(stuck.heldBytes / MB).toFixed(1)} MB for ${stuck.watches}; ${(stuck.leftBytes / MB).toFixed(1)} MB once they were given up`);
const seen = `${stuck.seenInAll} of ${stuck.written}`;
console.log(`${plainLine('events it saw, having gone on', seen, 'all')}   ${stuck.seenAtFirst} before it was ended, in ${(stuck.sentBytes / MB).toFixed(1)} MB`);
