/**
 * What a client that reads one object after another notices of crowds that make pods: 16 to 1,000 clients on connections of their own. The longer it
 * waits beside many, the more it stands behind writes that came before it. Runs for about half a minute.
 */
import { askJson } from './served/ask-json.ts';
import { besides } from './served/besides.ts';
import { startLoadMaker } from './served/child.ts';
import { rateOf, type Measured } from './served/load.ts';
import { collection, NAMESPACE, pod } from './served/objects.ts';
import { startServed } from './served/server.ts';

const CROWDS = [16, 128, 1_000] as const;
const SECONDS = 5;

const served = await startServed();
const maker = startLoadMaker();
try {
  await askJson(served.port, 'POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: NAMESPACE } }));
  for (const clients of CROWDS) {
    let made: Measured | undefined;
    const { p50Ms, p99Ms, reads, longestTurnMs } = await besides(served, async () => {
      const body = pod(`crowd-${clients}-{n}`);
      made = await maker.run({ do: 'requests', protocol: 'h1', port: served.port, clients, method: 'POST', path: collection('pods'), body, warmUpSeconds: 1, seconds: SECONDS }, () => {});
    });
    if (made === undefined || Object.keys(made.failures).length > 0) throw new Error(`pods could not be made: ${JSON.stringify(made?.failures)}`);
    console.log(`${String(clients).padStart(5)} clients make ${rateOf(made).toFixed(0)} pods a second (p99 ${made.p99Ms.toFixed(0)} ms)`);
    console.log(`      ${reads} reads beside them: p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms; longest hold-up ${longestTurnMs.toFixed(0)} ms`);
  }
} finally {
  await maker.stop();
  await served.stop();
}
