import { ask, startServed } from './server.ts';
import { startLoadMaker, type LoadMaker } from './child.ts';
import type { Measured } from './load.ts';
import { configMap } from './objects.ts';
import { openWatches, type OpenWatches } from './open-watches.ts';

const WATCHERS = 100;
const WRITERS = 4;
const EVENTS_PER_SECOND = 10_000;
const UNRELATED = 1_000;
const ROUNDS = 2;
const TIMES = { warmUpSeconds: 0.7, seconds: 2 };
const HOME = '/api/v1/namespaces/bench-watch';
const MAPS = `${HOME}/configmaps`;
const MANY_NAMESPACES = 50;

export interface SteadyFanOut {
  readonly asked: number;
  readonly measured: Measured;
  /** Processor time of the server for each event, writing it included. */
  readonly aloneUs: number;
  readonly besideUnrelatedUs: number;
  readonly unrelated: number;
  /** That watches of other names and namespaces were sent. */
  readonly unrelatedBytes: number;
  readonly longestTurnMs: number;
}

/** As many events as asked to 100 watches of one namespace, without and with 1,000 watches of other namespaces and names beside them. */
export async function steadyFanOut(): Promise<SteadyFanOut> {
  const served = await startServed();
  const maker = startLoadMaker();
  try {
    await fill(served.port, maker);
    const order = {
      ...TIMES,
      do: 'fan-out',
      port: served.port,
      watchers: WATCHERS,
      watchPath: `${MAPS}?watch=1`,
      writers: WRITERS,
      writesPerSecond: EVENTS_PER_SECOND / WATCHERS,
      method: 'PUT',
      writePath: `${MAPS}/watched-{c}`,
      body: configMap('watched-{c}', { sentAt: '{t}' }),
    } as const;
    const rounds: { readonly measured: Measured; readonly cpuUs: number; readonly longestTurnMs: number }[] = [];
    const round = async (): Promise<number> => {
      const measured = await maker.run(order, () => void served.observe());
      const { cpuUs, longestTurnMs } = await served.observe();
      if (Object.keys(measured.failures).length > 0) throw new Error(`fan-out: ${JSON.stringify(measured.failures)}`);
      rounds.push({ measured, cpuUs, longestTurnMs });
      return cpuUs / measured.count;
    };
    await round();
    const [alone, beside]: [number[], number[]] = [[], []];
    let unrelatedBytes = 0;
    for (let at = 0; at < ROUNDS; at++) {
      alone.push(await round());
      const others = await openUnrelated(served.port);
      beside.push(await round());
      for (const some of others) {
        if (some.ended() > 0) throw new Error(`${some.ended()} watches of other namespaces ended`);
        unrelatedBytes += some.bytes();
        some.close();
      }
    }
    return {
      asked: EVENTS_PER_SECOND,
      measured: rounds.at(-1)!.measured,
      aloneUs: Math.min(...alone),
      besideUnrelatedUs: Math.min(...beside),
      unrelated: UNRELATED,
      unrelatedBytes,
      longestTurnMs: Math.max(...rounds.map(({ longestTurnMs }) => longestTurnMs)),
    };
  } finally {
    await maker.stop();
    await served.stop();
  }
}

async function fill(port: number, maker: LoadMaker): Promise<void> {
  await ask(port, 'POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: 'bench-watch' } }));
  const load = { do: 'requests', protocol: 'h1', port, method: 'POST', clients: 1, warmUpSeconds: 0, seconds: 60 } as const;
  await maker.run({ ...load, path: MAPS, body: configMap('watched-{n}', { sentAt: '0' }), last: WRITERS - 1 }, () => {});
}

/** Of the same resource: half of them in other namespaces, half of other names in the same one. */
function openUnrelated(port: number): Promise<readonly OpenWatches[]> {
  const each = UNRELATED / 2 / MANY_NAMESPACES;
  const paths = Array.from({ length: MANY_NAMESPACES }, (_, at) => [
    `/api/v1/namespaces/other-${at}/configmaps?watch=1`,
    `${MAPS}?fieldSelector=metadata.name%3Dother-${at}&watch=1`,
  ]).flat();
  return Promise.all(paths.map((path) => openWatches('h2', port, path, each)));
}
